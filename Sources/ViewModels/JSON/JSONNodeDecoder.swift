import Foundation

/// Decodes what a caller sent, and what an earlier or a later build stored.
///
/// Foundation's decoder would not do: it takes `9007199254740993.5` and `1e-400` for whole numbers, it does not say which
/// members nobody asked for, and it knows no defaults. What types of Foundation are read from is the same here.
struct JSONNodeDecoder: Decoder {
    let node: JSONNode
    /// What it is inside of.
    var outer: CodingPlace?
    /// Its key in there.
    var key: (any CodingKey)?
    /// What stands in for missing members of what was stored; nil where nothing does.
    var defaults: StoredDefaults?
    /// The lists of what a caller sent, which is held to what a type says of its shape, also where its `init(from:)` takes more; nil
    /// where it is not.
    var lists: OpenedLists?
    /// Whether another type reads the same value, whose members stand beside those that are read here.
    var isFlattened = false
    var codingPath: [any CodingKey] { CodingPlace.path(to: key, in: outer) }
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    /// What should have been there, in a sentence that follows the name of the place.
    struct Complaint: Error {
        let words: String
    }

    /// The value of a type.
    ///
    /// - Throws: `DecodingError`, with a ``Complaint`` as its underlying error where it says more than the shape, and a
    ///   ``JSONSchema/Mismatch`` where that is not what the type says; or whatever the type throws.
    func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
        let value: Any?
        switch type {
        case is Int.Type: value = try whole(as: Int.self)
        case is String.Type: value = string
        case is Bool.Type: value = boolean
        case let type as any FixedWidthInteger.Type: value = try whole(as: type)
        case is Double.Type: value = number?.real(as: Double.self)
        case is Float.Type: value = number?.real(as: Float.self)
        case is Decimal.Type: value = number.flatMap(\.decimal)
        case is Data.Type: value = string.flatMap { Data(base64Encoded: $0) }
        case is URL.Type: value = string.flatMap { URL(string: $0) }
        default:
            if let defaults {
                return try Value(
                    from: JSONNodeDecoder(node: node, outer: outer, key: key, defaults: defaults.within(type)))
            }
            guard lists != nil else { return try Value(from: self) }
            do { return try held(type) } catch let error as DecodingError where isAround(error) { throw error } catch {
                // Of its own, or of another decoder's: it was here.
                throw DecodingError.dataCorrupted(
                    .init(codingPath: codingPath, debugDescription: "\(error)", underlyingError: error))
            }
        }
        guard let value = value as? Value else { throw mismatch(type, Self.words(for: type)) }
        return value
    }

    /// The value of a type, held to what that says of its shape, which says all that is within it, too.
    ///
    /// A type of the standard library's says what those do that it holds, and each of them is held by itself: but for a
    /// dictionary's keys, of which two names could be one.
    private func held<Value: Decodable>(_ type: Value.Type) throws -> Value {
        if let wrapping = type as? any Wrapping.Type {
            if let mismatch = wrapping.names?.mismatch(inNamesOf: node) { throw unsaid(type, mismatch) }
            let value = try Value(from: self)
            guard case .object(let members) = node, let count = (value as? any Wrapping)?.keyCount,
                count < members.all.count
            else { return value }
            throw mismatch(type, "has two names that are one to this action; send it once")
        }
        // One that refers to a shape around it says nothing by itself, and one that has nothing in it asks for nothing.
        guard type is any SchemaDescribing.Type || MemoryLayout<Value>.size == 0,
            let schema = try? JSONSchema(of: type)
        else {
            return try Value(from: flattened)
        }
        let value = try Value(from: JSONNodeDecoder(node: node, outer: outer, key: key))
        if let mismatch = schema.mismatch(in: node, refusesUnknown: !isFlattened) { throw unsaid(type, mismatch) }
        return value
    }

    /// The same for a type that may have others read the value, too.
    fileprivate var flattened: JSONNodeDecoder {
        var flattened = self
        flattened.isFlattened = true
        return flattened
    }

    /// Whether an error says a place that is here, or within.
    private func isAround(_ error: DecodingError) -> Bool {
        let (path, keys) = (codingPath, error.place?.keys ?? [])
        return keys.count >= path.count && zip(keys, path).allSatisfy { $0.name == $1.name }
    }

    private func unsaid(_ type: any Any.Type, _ mismatch: JSONSchema.Mismatch) -> DecodingError {
        .typeMismatch(type, .init(codingPath: codingPath, debugDescription: "", underlyingError: mismatch))
    }

    /// What a value of a type is that is read here.
    private static func words(for type: any Any.Type) -> String {
        switch type {
        case is String.Type: "must be a string"
        case is Bool.Type: "must be true or false"
        case is Data.Type: "must be text in base64 (RFC 4648, section 4)"
        case is URL.Type: "must be a URL"
        case is Date.Type: "must be \(JSONSchema.date.inWords)"
        default: "must be a number"
        }
    }

    private var string: String? { if case .string(let string) = node { string } else { nil } }
    private var boolean: Bool? { if case .boolean(let boolean) = node { boolean } else { nil } }
    private var number: JSONNumber? { if case .number(let number) = node { number } else { nil } }

    private func whole<Number: FixedWidthInteger>(as type: Number.Type) throws -> Number {
        guard let whole = number?.whole(as: type) else {
            throw mismatch(type, "must be \(JSONSchema.integer(JSONSchema.range(of: type)).inWords)")
        }
        return whole
    }

    private func mismatch(_ type: any Any.Type, _ words: String? = nil) -> DecodingError {
        let complaint = words.map { Complaint(words: $0) }
        return .typeMismatch(type, .init(codingPath: codingPath, debugDescription: "", underlyingError: complaint))
    }

    /// Where it is, for what is inside.
    private var place: CodingPlace? { key.map { CodingPlace($0, in: outer) } ?? outer }

    func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        guard case .object(let members) = node else { throw mismatch([String: Any].self, "must be an object") }
        members.open()
        return KeyedDecodingContainer(
            JSONNodeMembers(members: members, place: place, defaults: defaults, lists: lists))
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
        guard case .array(let elements) = node else { throw mismatch([Any].self, "must be a list") }
        return JSONNodeElements(
            elements: elements, place: place, defaults: defaults, lists: lists)
    }

    func singleValueContainer() -> any SingleValueDecodingContainer { self }
}

extension JSONNodeDecoder: SingleValueDecodingContainer {
    func decodeNil() -> Bool { if case .null = node { true } else { false } }

    // The generic method would not be used for these two: the standard library's default for them throws.
    func decode(_ type: Int128.Type) throws -> Int128 { try whole(as: type) }
    func decode(_ type: UInt128.Type) throws -> UInt128 { try whole(as: type) }
}

/// The members of an object.
///
/// Whatever asks for a member makes it a known one.
private struct JSONNodeMembers<Key: CodingKey>: KeyedDecodingContainerProtocol {
    let members: JSONNode.Members
    let place: CodingPlace?
    let defaults: StoredDefaults?
    let lists: OpenedLists?
    var codingPath: [any CodingKey] { CodingPlace.path(to: nil, in: place) }

    var allKeys: [Key] { members.names.compactMap { Key(stringValue: $0) }.filter(contains) }

    /// Asked where the member may be missing: no default is used for it.
    func contains(_ key: Key) -> Bool {
        if members.value(of: key.stringValue) != nil { return true }
        defaults?.noteMissing(key.stringValue, in: codingPath)
        return false
    }

    private func member(_ key: any CodingKey) throws -> JSONNodeDecoder {
        let name = key.stringValue
        if let node = members.value(of: name) {
            return decoder(of: key, node, defaults: defaults?.ofMember(name, node))
        }
        defaults?.noteMissing(name, in: codingPath)
        // A default has all members.
        if let node = defaults?.value(of: name) { return decoder(of: key, node, defaults: nil) }
        throw DecodingError.keyNotFound(
            key, .init(codingPath: codingPath, debugDescription: "", underlyingError: defaults?.whyMissing))
    }

    private func decoder(of key: any CodingKey, _ node: JSONNode, defaults inner: StoredDefaults?) -> JSONNodeDecoder {
        let key: any CodingKey = defaults?.isDictionary == true ? JSONNodeKey(hiding: key.stringValue) : key
        return JSONNodeDecoder(
            node: node, outer: place, key: key, defaults: inner, lists: lists)
    }

    /// No default stands in for an optional that is missing: nil is stored like that.
    func decodeIfPresent<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value? {
        guard contains(key), let node = members.value(of: key.stringValue) else { return nil }
        let decoder = decoder(of: key, node, defaults: defaults?.ofElement(node))
        return decoder.decodeNil() ? nil : try decoder.decode(type)
    }

    func decodeNil(forKey key: Key) throws -> Bool { try member(key).decodeNil() }

    func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value { try member(key).decode(type) }
    func decode(_ type: Int128.Type, forKey key: Key) throws -> Int128 { try member(key).decode(type) }
    func decode(_ type: UInt128.Type, forKey key: Key) throws -> UInt128 { try member(key).decode(type) }

    func nestedContainer<NestedKey: CodingKey>(
        keyedBy type: NestedKey.Type, forKey key: Key
    ) throws -> KeyedDecodingContainer<NestedKey> { try member(key).container(keyedBy: type) }

    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
        try member(key).unkeyedContainer()
    }

    func superDecoder() throws -> any Decoder { try member(JSONNodeKey("super")).flattened }

    func superDecoder(forKey key: Key) throws -> any Decoder { try member(key).flattened }
}

/// The elements of a list, one after the other.
private struct JSONNodeElements: UnkeyedDecodingContainer {
    let elements: [JSONNode]
    let place: CodingPlace?
    let defaults: StoredDefaults?
    let lists: OpenedLists?
    private let list: OpenedLists.List?
    private(set) var currentIndex = 0 {
        didSet { list?.note(currentIndex) }
    }
    var codingPath: [any CodingKey] { CodingPlace.path(to: nil, in: place) }

    init(elements: [JSONNode], place: CodingPlace?, defaults: StoredDefaults?, lists: OpenedLists?) {
        self.elements = elements
        self.place = place
        self.defaults = defaults
        self.lists = lists
        list = lists?.open(elements.count, at: place)
    }

    var count: Int? { elements.count }
    var isAtEnd: Bool { currentIndex == elements.count }

    private func element<Value>(of type: Value.Type) throws -> JSONNodeDecoder {
        let key = JSONNodeKey(currentIndex)
        guard !isAtEnd else {
            let path = CodingPlace.path(to: key, in: place)
            throw DecodingError.valueNotFound(type, .init(codingPath: path, debugDescription: ""))
        }
        let node = elements[currentIndex]
        return JSONNodeDecoder(
            node: node, outer: place, key: key, defaults: defaults?.ofElement(node), lists: lists)
    }

    /// Moves on only where nothing was thrown: an element may be tried as one type after the other.
    private mutating func next<Value, Type>(_ type: Type.Type, _ read: (JSONNodeDecoder) throws -> Value) throws
        -> Value
    {
        let value = try read(element(of: type))
        currentIndex += 1
        return value
    }

    mutating func decodeNil() throws -> Bool {
        guard try element(of: Any?.self).decodeNil() else { return false }
        currentIndex += 1
        return true
    }

    mutating func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
        try next(type) { try $0.decode(type) }
    }
    mutating func decode(_ type: Int128.Type) throws -> Int128 { try next(type) { try $0.decode(type) } }
    mutating func decode(_ type: UInt128.Type) throws -> UInt128 { try next(type) { try $0.decode(type) } }

    mutating func nestedContainer<NestedKey: CodingKey>(
        keyedBy type: NestedKey.Type
    ) throws -> KeyedDecodingContainer<NestedKey> { try next(type) { try $0.container(keyedBy: type) } }

    mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
        try next([Any].self) { try $0.unkeyedContainer() }
    }

    mutating func superDecoder() throws -> any Decoder { try next((any Decoder).self) { $0.flattened } }
}

/// A place in a value that is decoded, by the keys that lead there: a list of them is only made for an error.
final class CodingPlace {
    private let key: any CodingKey
    private let outer: CodingPlace?

    init(_ key: any CodingKey, in outer: CodingPlace?) {
        self.key = key
        self.outer = outer
    }

    static func path(to key: (any CodingKey)?, in outer: CodingPlace?) -> [any CodingKey] {
        var path = key.map { [$0] } ?? []
        var place = outer
        while let next = place {
            path.append(next.key)
            place = next.outer
        }
        return path.reversed()
    }
}

/// A place in a list, or a member whose name is no key of a type.
struct JSONNodeKey: CodingKey {
    /// Any place in a list and any key of a dictionary: that of a stored one may be a user's, and is not to be named.
    static let any = JSONNodeKey("*")

    let stringValue: String
    let intValue: Int?
    /// The name for which an asterisk stands.
    private(set) var hidden: String?

    /// A key of a dictionary.
    init(hiding name: String) {
        self = .any
        hidden = name
    }

    init(_ index: Int) { (stringValue, intValue) = (String(index), index) }
    init(_ name: String) { (stringValue, intValue) = (name, nil) }
    /// A place in a list or a name, with the number that it reads as.
    init(place text: String) { (stringValue, intValue) = (text, Int(text)) }
    init?(stringValue: String) { self.init(stringValue) }
    init?(intValue: Int) { self.init(intValue) }
}
