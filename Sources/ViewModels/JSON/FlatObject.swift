/// The text of a JSON object that grows member by member.
struct FlatObject {
    private var text = [UInt8(ascii: "{")]
    /// Where each member stands in the text, with the comma after it.
    private var members: [(key: String, place: Range<Int>)] = []

    /// Sorts the members and ends the object.
    mutating func finish() -> [UInt8] {
        if members.count > 1 { sort() }
        if !members.isEmpty { text.removeLast() }
        text.append(UInt8(ascii: "}"))
        return text
    }

    private mutating func sort() {
        guard zip(members, members.dropFirst()).contains(where: { $0.key > $1.key }) else { return }
        let unsorted = text
        text = [unsorted[0]] + members.sorted { $0.key < $1.key }.flatMap { unsorted[$0.place] }
    }

    /// Adds a member; false where an encoder has to do it.
    mutating func append(_ key: String, _ value: some PlainJSON) -> Bool {
        let start = text.count
        text.reserveCapacity(start + 48)
        guard key.appendPlainJSON(to: &text) else { return false }
        text.append(UInt8(ascii: ":"))
        guard value.appendPlainJSON(to: &text) else { return false }
        text.append(UInt8(ascii: ","))
        members.append((key, start..<text.count))
        return true
    }
}
