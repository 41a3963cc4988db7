import Foundation

/// Reads the events of a server from bytes that may be split anywhere, even inside a character.
///
/// It reads only the part of event streams (WHATWG HTML, 9.2.6) that a Bindery server uses: lines end with LF, and the data
/// of an event is one line.
struct EventParser: Sendable {
    struct Event: Sendable, Equatable {
        var name = ""
        /// The latest id of the stream.
        var id: String?
        var data: [UInt8] = []
    }

    private var line: [UInt8] = []
    private var event = Event()

    /// The events that these bytes complete.
    ///
    /// - Throws: ``RemoteFailure`` if an event is too large.
    mutating func read(_ bytes: Data) throws -> [Event] {
        var events: [Event] = []
        for byte in bytes {
            guard byte == UInt8(ascii: "\n") else {
                line.append(byte)
                continue
            }
            if line.isEmpty {
                events.append(event)
                event = Event(id: event.id)
            } else {
                takeLine()
            }
        }
        guard line.count + event.data.count <= BinderyClient.largestAnswer else { throw RemoteFailure.tooLarge }
        return events
    }

    private mutating func takeLine() {
        let parts = line.split(separator: UInt8(ascii: ":"), maxSplits: 1, omittingEmptySubsequences: false)
        let value = parts.dropFirst().first?.drop { $0 == UInt8(ascii: " ") } ?? []
        switch String(decoding: parts[0], as: UTF8.self) {
        case "event": event.name = String(decoding: value, as: UTF8.self)
        case "data": event.data = Array(value)
        case "id": event.id = String(decoding: value, as: UTF8.self)
        // `retry`: the client has pauses of its own.
        default: break
        }
        line.removeAll(keepingCapacity: true)
    }
}
