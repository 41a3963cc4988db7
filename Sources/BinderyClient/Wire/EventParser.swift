import Foundation

/// Reads an event stream (WHATWG HTML, 9.2.6) from bytes that are cut anywhere, also inside of a character.
///
/// A line ends with CR, LF or both, and not with U+2028, which may stand in a value.
struct EventParser: Sendable {
    /// One event.
    struct Event: Sendable, Equatable {
        var name = "message"
        /// The latest id of the stream.
        var id: String?
        var data: [UInt8]
    }

    private var line: [UInt8] = []
    private var name = ""
    private var data: [UInt8]?
    private var id: String?
    /// Whether the last byte was a CR, to which an LF belongs.
    private var isAfterReturn = false
    private var isAtBeginning = true

    /// The events that these bytes complete.
    ///
    /// - Throws: ``RemoteFailure`` where an event is too large.
    mutating func read(_ bytes: Data) throws -> [Event] {
        var events: [Event] = []
        for piece in bytes.split(omittingEmptySubsequences: false, whereSeparator: { $0 == 0x0A || $0 == 0x0D }) {
            // A piece after a separator begins a line. `split` has put the separator before the piece.
            if piece.startIndex > bytes.startIndex {
                let separator = bytes[piece.startIndex - 1]
                if separator == 0x0D || !isAfterReturn, let event = takeLine() { events.append(event) }
                isAfterReturn = separator == 0x0D
            }
            if !piece.isEmpty { isAfterReturn = false }
            line += piece
        }
        guard line.count + (data?.count ?? 0) <= BinderyClient.largestAnswer else { throw RemoteFailure.tooLarge }
        return events
    }

    /// Takes the line that is complete; an empty one ends an event.
    private mutating func takeLine() -> Event? {
        defer { line.removeAll(keepingCapacity: true) }
        if isAtBeginning, line.starts(with: [0xEF, 0xBB, 0xBF]) { line.removeFirst(3) }
        isAtBeginning = false
        guard !line.isEmpty else {
            defer { (name, data) = ("", nil) }
            return data.map { Event(name: name.isEmpty ? "message" : name, id: id, data: $0) }
        }
        let colon = line.firstIndex(of: UInt8(ascii: ":")) ?? line.endIndex
        var value = line[colon...].dropFirst()
        if value.first == UInt8(ascii: " ") { value = value.dropFirst() }
        switch String(decoding: line[..<colon], as: UTF8.self) {
        case "event": name = String(decoding: value, as: UTF8.self)
        case "data":
            if data == nil { data = [] } else { data?.append(UInt8(ascii: "\n")) }
            data?.append(contentsOf: value)
        case "id" where !value.contains(0): id = String(decoding: value, as: UTF8.self)
        // A comment, or `retry`: the client has pauses of its own.
        default: break
        }
        return nil
    }
}
