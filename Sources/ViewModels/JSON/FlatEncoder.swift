/// Encodes an object of plain members without a `JSONEncoder`.
///
/// A stored model is mostly such an object, and is encoded with every action: an encoder costs some 1.2 µs, this a
/// quarter of it. The text is the encoder's to the byte, its members sorted, which a test holds it to. Whatever is not
/// so plain is left to the encoder.
final class FlatEncoder: Encoder {
    /// Thrown for a value that is not plain.
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

    /// Leaves the whole object to a JSONEncoder, even where the type catches the error that is returned and goes on.
    func refuse() -> NotFlat {
        isRefused = true
        return NotFlat()
    }

    func put(_ value: some PlainJSON, for key: some CodingKey) throws {
        guard object.append(key.stringValue, value) else { throw refuse() }
    }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        // A second container may repeat members or add others: the encoder knows what is meant.
        if isKeyed { isRefused = true }
        isKeyed = true
        return KeyedEncodingContainer(FlatMembers(encoder: self))
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer { NoFlatValues(encoder: self) }

    func singleValueContainer() -> any SingleValueEncodingContainer { NoFlatValues(encoder: self) }
}

/// The text of a JSON object of plain members, growing one by one.
///
/// Nothing is kept of a member but its text: what is plain has no escapes, so that it can be found again.
struct FlatObject {
    private var text: [UInt8] = []
    private var lastKey = ""
    private var isSorted = true

    /// Adds a member; false where an encoder has to do it.
    mutating func append(_ key: String, _ value: some PlainJSON) -> Bool {
        if text.isEmpty { text.reserveCapacity(64) }
        text.append(UInt8(ascii: text.isEmpty ? "{" : ","))
        guard key.appendPlainJSON(to: &text) else { return false }
        text.append(UInt8(ascii: ":"))
        guard value.appendPlainJSON(to: &text) else { return false }
        isSorted = isSorted && lastKey < key
        lastKey = key
        return true
    }

    /// Sorts the members and ends the object; called once.
    ///
    /// - Returns: nil for a duplicate key; JSONEncoder decides which one wins.
    mutating func finish() -> [UInt8]? {
        guard !text.isEmpty else { return Array("{}".utf8) }
        guard isSorted || sort() else { return nil }
        text.append(UInt8(ascii: "}"))
        return text
    }

    private mutating func sort() -> Bool {
        let quote = UInt8(ascii: "\"")
        var isInString = false
        let members = text.dropFirst().split { byte in
            if byte == quote { isInString.toggle() }
            return byte == UInt8(ascii: ",") && !isInString
        }
        let key = { (member: ArraySlice<UInt8>) in member.dropFirst().prefix { $0 != quote } }
        let sorted = members.sorted { key($0).lexicographicallyPrecedes(key($1)) }
        guard !zip(sorted, sorted.dropFirst()).contains(where: { key($0) == key($1) }) else { return false }
        text = [UInt8(ascii: "{")] + sorted.joined(separator: [UInt8(ascii: ",")])
        return true
    }
}

/// The members of a ``FlatEncoder``.
struct FlatMembers<Key: CodingKey>: KeyedEncodingContainerProtocol {
    let encoder: FlatEncoder
    var codingPath: [any CodingKey] { [] }

    private func put(_ value: some PlainJSON, _ key: Key) throws { try encoder.put(value, for: key) }

    private func put(ifFits value: some BinaryInteger, _ key: Key) throws {
        guard let value = Int(exactly: value) else { throw encoder.refuse() }
        try put(value, key)
    }

    func encodeNil(forKey key: Key) throws { try put(PlainNull(), key) }
    func encode(_ value: Bool, forKey key: Key) throws { try put(value, key) }
    func encode(_ value: String, forKey key: Key) throws { try put(value, key) }
    func encode(_ value: Double, forKey key: Key) throws { try put(value, key) }
    func encode(_ value: Int, forKey key: Key) throws { try put(value, key) }
    func encode(_ value: Float, forKey key: Key) throws { throw encoder.refuse() }
    func encode(_ value: Int8, forKey key: Key) throws { try put(Int(value), key) }
    func encode(_ value: Int16, forKey key: Key) throws { try put(Int(value), key) }
    func encode(_ value: Int32, forKey key: Key) throws { try put(Int(value), key) }
    func encode(_ value: Int64, forKey key: Key) throws { try put(ifFits: value, key) }
    func encode(_ value: UInt, forKey key: Key) throws { try put(ifFits: value, key) }
    func encode(_ value: UInt8, forKey key: Key) throws { try put(Int(value), key) }
    func encode(_ value: UInt16, forKey key: Key) throws { try put(Int(value), key) }
    func encode(_ value: UInt32, forKey key: Key) throws { try put(Int(value), key) }
    func encode(_ value: UInt64, forKey key: Key) throws { try put(ifFits: value, key) }

    func encode(_ value: Int128, forKey key: Key) throws { throw encoder.refuse() }
    func encode(_ value: UInt128, forKey key: Key) throws { throw encoder.refuse() }

    func encode<Value: Encodable>(_ value: Value, forKey key: Key) throws { throw encoder.refuse() }

    func nestedContainer<NestedKey: CodingKey>(
        keyedBy keyType: NestedKey.Type, forKey key: Key
    ) -> KeyedEncodingContainer<NestedKey> {
        NoFlatValues(encoder: encoder).nestedContainer(keyedBy: keyType)
    }

    func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer { NoFlatValues(encoder: encoder) }

    func superEncoder() -> any Encoder { NoFlatValues(encoder: encoder).superEncoder() }

    func superEncoder(forKey key: Key) -> any Encoder { superEncoder() }
}

/// Takes the place of every container that ``FlatEncoder`` does not support, and refuses what is put in.
struct NoFlatValues: UnkeyedEncodingContainer, SingleValueEncodingContainer {
    let encoder: FlatEncoder
    var codingPath: [any CodingKey] { [] }
    var count: Int { 0 }

    init(encoder: FlatEncoder) {
        self.encoder = encoder
        // Even where nothing is put into it: an empty list is no plain member.
        _ = encoder.refuse()
    }

    func encodeNil() throws { throw FlatEncoder.NotFlat() }
    func encode<Value: Encodable>(_ value: Value) throws { throw FlatEncoder.NotFlat() }

    func nestedContainer<Key: CodingKey>(keyedBy keyType: Key.Type) -> KeyedEncodingContainer<Key> {
        KeyedEncodingContainer(FlatMembers<Key>(encoder: encoder))
    }

    func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { self }

    func superEncoder() -> any Encoder { encoder }
}

/// A type some of whose values are so plain that their JSON text can be written down without an encoder.
///
/// Outputs are mostly such values, and an encoder costs some 0.3 µs each: as much as everything else an action does to
/// an output. The text is the encoder's to the byte, which a test holds it to; whatever is not plain is left to it.
protocol PlainJSON {
    /// Appends the JSON text; false, with nothing appended, where an encoder has to find it.
    func appendPlainJSON(to text: inout [UInt8]) -> Bool
}

extension PlainJSON {
    /// The JSON text; nil where an encoder has to find it.
    var plainJSON: [UInt8]? {
        var text: [UInt8] = []
        return appendPlainJSON(to: &text) ? text : nil
    }
}

/// JSON's `null`.
struct PlainNull: PlainJSON {
    func appendPlainJSON(to text: inout [UInt8]) -> Bool {
        text.append(contentsOf: "null".utf8)
        return true
    }
}

extension Bool: PlainJSON {
    func appendPlainJSON(to text: inout [UInt8]) -> Bool {
        text.append(contentsOf: (self ? "true" : "false").utf8)
        return true
    }
}

extension Int: PlainJSON {
    func appendPlainJSON(to text: inout [UInt8]) -> Bool {
        text.append(contentsOf: String(self).utf8)
        return true
    }
}

extension Double: PlainJSON {
    /// Whole numbers that a double holds exactly, and halves; minus zero is neither.
    func appendPlainJSON(to text: inout [UInt8]) -> Bool {
        guard magnitude < 1_000_000_000, bitPattern != (-0.0).bitPattern else { return false }
        if self == rounded() { return Int(self).appendPlainJSON(to: &text) }
        guard (self * 2).rounded() == self * 2 else { return false }
        text.append(contentsOf: description.utf8)
        return true
    }
}

extension String: PlainJSON {
    /// Printable ASCII that needs no escaping.
    func appendPlainJSON(to text: inout [UInt8]) -> Bool {
        let quote = UInt8(ascii: "\"")
        guard utf8.allSatisfy({ (0x20..<0x7F).contains($0) && $0 != quote && $0 != UInt8(ascii: "\\") }) else {
            return false
        }
        text.reserveCapacity(text.count + utf8.count + 2)
        text.append(quote)
        text.append(contentsOf: utf8)
        text.append(quote)
        return true
    }
}
