/// The name of a view model, an output, an action or a facet, as it stands in paths, topics and JSON.
///
/// One to 64 of the characters `a-z`, `A-Z`, `0-9` and `-`, beginning with a letter, so that it needs no escaping in
/// a URL path (RFC 3986, section 2.3), in `?topics=` or in a JSON string.
public struct Name: Hashable, Sendable, CustomStringConvertible {
    /// The characters of the name.
    public let rawValue: String
    /// The name as the key of a JSON member, with its colon: it is written with every action.
    let jsonKey: [UInt8]

    /// Takes the name if it is well-formed.
    ///
    /// - Returns: nil where a character is not allowed, none is given or more than 64 are.
    public init?(_ rawValue: some StringProtocol) {
        let characters = rawValue.utf8
        guard (1...64).contains(characters.count), let first = characters.first, Self.isLetter(first),
            characters.allSatisfy({ Self.isLetter($0) || (0x30...0x39).contains($0) || $0 == 0x2D })
        else { return nil }
        self.rawValue = String(rawValue)
        jsonKey = Array("\"\(rawValue)\":".utf8)
    }

    /// Takes a name from a declaration, where a malformed one is a mistake of the programmer: nothing is served under it
    /// (``isMalformed``).
    init(declared rawValue: String) {
        self.rawValue = rawValue
        jsonKey = Array("\"\(rawValue)\":".utf8)
    }

    /// Whether it was declared and is none.
    var isMalformed: Bool { Self(rawValue) == nil }

    /// The first two of a list that are one, or differ in case alone: a reader takes them for each other, and so do clients in
    /// languages whose names are written in one way.
    static func twins(in names: [Name]) -> (Name, Name)? {
        var known: [String: Name] = [:]
        for name in names {
            if let other = known.updateValue(name, forKey: name.rawValue.lowercased()) { return (other, name) }
        }
        return nil
    }

    /// What to say of two, in a clause that names them.
    static func alike(_ name: Name, _ other: Name) -> String {
        "\(name) and \(other), which differ in case alone; give one another name"
    }

    /// The characters of the name.
    public var description: String { rawValue }

    private static func isLetter(_ byte: UInt8) -> Bool { (0x61...0x7A).contains(byte | 0x20) }
}
