import Foundation

/// Reads an event stream (WHATWG HTML, "Parsing an event stream") from bytes that are cut anywhere.
///
/// By bytes, since a cut may be inside of a character; lines end with CR, LF or both, and nowhere else: U+2028 stands in
/// texts.
struct EventParser: Sendable {
    /// One event.
    struct Event: Sendable, Equatable {
        var name = "message"
        /// The latest that the stream has named, with this event or before.
        var id: String?
        var data: [UInt8]
    }

    /// An event, or a line of one, has more bytes than it may.
    struct TooLarge: Error {}

    private let largest: Int
    /// The line that is not at its end.
    private var line: [UInt8] = []
    private var name = ""
    private var data: [UInt8] = []
    private var hasData = false
    private var id: String?
    /// Whether the last byte was a CR, which an LF belongs to.
    private var isAfterReturn = false
    private var isAtBeginning = true
    /// After how long to come back, as the server said.
    private(set) var retry: Duration?

    /// - Parameter largest: how many bytes an event may have.
    init(largest: Int) { self.largest = largest }

    /// The events that these bytes complete.
    ///
    /// - Throws: ``TooLarge``.
    mutating func read(_ bytes: Data) throws -> [Event] {
        var events: [Event] = []
        var rest = bytes[...]
        while !rest.isEmpty {
            if isAfterReturn {
                isAfterReturn = false
                if rest.first == UInt8(ascii: "\n") {
                    rest = rest.dropFirst()
                    continue
                }
            }
            guard let end = rest.firstIndex(where: { $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "\r") }) else {
                line += rest
                break
            }
            line += rest[..<end]
            isAfterReturn = rest[end] == UInt8(ascii: "\r")
            rest = rest[(end + 1)...]
            if let event = takeLine() { events.append(event) }
            guard data.count <= largest else { throw TooLarge() }
        }
        guard line.count <= largest else { throw TooLarge() }
        return events
    }

    /// Takes the line that has come to its end; an empty one ends an event.
    private mutating func takeLine() -> Event? {
        defer { line.removeAll(keepingCapacity: true) }
        if isAtBeginning {
            isAtBeginning = false
            if line.starts(with: [0xEF, 0xBB, 0xBF]) { line.removeFirst(3) }
        }
        guard !line.isEmpty else {
            defer { (name, data, hasData) = ("", [], false) }
            guard hasData else { return nil }
            return Event(name: name.isEmpty ? "message" : name, id: id, data: data)
        }
        let colon = line.firstIndex(of: UInt8(ascii: ":")) ?? line.endIndex
        var value = line[colon...].dropFirst()
        if value.first == UInt8(ascii: " ") { value = value.dropFirst() }
        switch String(decoding: line[..<colon], as: UTF8.self) {
        case "event": name = String(decoding: value, as: UTF8.self)
        case "data":
            if hasData { data.append(UInt8(ascii: "\n")) }
            data += value
            hasData = true
        case "id" where !value.contains(0): id = String(decoding: value, as: UTF8.self)
        case "retry":
            let text = String(decoding: value, as: UTF8.self)
            if !text.isEmpty, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let milliseconds = Int(text) {
                retry = .milliseconds(milliseconds)
            }
        // A comment, which begins with a colon, or a field of a later standard.
        default: break
        }
        return nil
    }
}
