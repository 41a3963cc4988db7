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
    /// - Returns: nil where a key came twice, of which an encoder knows which counts.
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
