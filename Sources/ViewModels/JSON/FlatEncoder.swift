/// Encodes an object of plain members without a `JSONEncoder`.
///
/// A stored model is mostly such an object, and is encoded with every action: an encoder costs some 1.2 µs, this a
/// quarter of it. The text is the encoder's to the byte, its members sorted, which a test holds it to. Whatever is not
/// so plain is left to the encoder.
final class FlatEncoder: Encoder {
    /// Thrown at whatever is not plain.
    struct NotFlat: Error {}

    private var object = FlatObject()
    private var isKeyed = false
    private var isRefused = false
    var codingPath: [any CodingKey] { [] }
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    /// The value's JSON text; nil where an encoder has to find it.
    static func encode(_ value: some Encodable) -> [UInt8]? {
        let encoder = FlatEncoder()
        guard (try? value.encode(to: encoder)) != nil, encoder.isKeyed, !encoder.isRefused else { return nil }
        return encoder.object.finish()
    }

    /// Leaves the whole object to an encoder, also where its type goes on when it is thrown what is returned.
    func refuse() -> NotFlat {
        isRefused = true
        return NotFlat()
    }

    func put(_ value: some PlainJSON, for key: some CodingKey) throws {
        guard object.append(key.stringValue, value) else { throw refuse() }
    }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        // A second container would say its members again, or others: the encoder knows what is meant.
        if isKeyed { isRefused = true }
        isKeyed = true
        return KeyedEncodingContainer(FlatMembers(encoder: self))
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer { NoFlatValues(encoder: self) }

    func singleValueContainer() -> any SingleValueEncodingContainer { NoFlatValues(encoder: self) }
}
