internal import CHTTPShim

/// The writing end of an event stream (WHATWG HTML, "Server-sent events").
///
/// May be used from any task; each call is sent whole. Lives as long as the closure of `Response.Body.eventStream`: what
/// is sent after it returned throws ``Closed``.
public struct EventStream: Sendable {
    /// The client has left, or the stream has ended.
    public struct Closed: Error, Sendable, Equatable {}

    let exchange: Exchange

    /// Sends one event.
    ///
    /// Waits while too much is unsent. Throws ``Closed`` when nobody is there any more, `CancellationError` when the task
    /// is cancelled while it waits. `event` and `id` must be free of line breaks: what follows one is left out.
    ///
    /// - Parameter retry: how long to wait, in milliseconds, before a client reconnects. It stands in the event's block:
    ///   in one of its own, some clients would see an event without data.
    public func send(event: String, id: String? = nil, data: [UInt8], retry milliseconds: Int? = nil) async throws {
        try await write(Self.frame(event: event, id: id, data: data, retry: milliseconds))
    }

    /// Sends a comment, which clients drop: it keeps what lies between awake.
    public func send(comment: String) async throws {
        try await write(Array(": \(Self.firstLine(comment))\n\n".utf8))
    }

    private func write(_ bytes: [UInt8]) async throws {
        while true {
            let drains = exchange.withRoom { $0.drains }
            switch bytes.withUnsafeBytes({ http_stream_write(exchange.pointer.raw, $0.baseAddress, $0.count) }) {
            case HTTP_WRITE_TAKEN: return
            case HTTP_WRITE_FULL: try await waitForRoom(since: drains)
            default: throw Closed()
            }
        }
    }

    private func waitForRoom(since drains: Int) async throws {
        let ticket = exchange.withRoom { $0.takeTicket() }
        defer { exchange.withRoom { $0.forget(ticket) } }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                switch exchange.withRoom({ $0.wait(continuation, ticket: ticket, since: drains) }) {
                case .waits: break
                case .goesOn: continuation.resume()
                case .fails: continuation.resume(throwing: Closed())
                case .isCancelled: continuation.resume(throwing: CancellationError())
                }
            }
        } onCancel: {
            exchange.withRoom { $0.cancel(ticket) }?.resume(throwing: CancellationError())
        }
    }

    /// One event as it goes over the wire: a line of data for each line of `data`.
    static func frame(event: String, id: String?, data: [UInt8], retry milliseconds: Int? = nil) -> [UInt8] {
        var frame: [UInt8] = []
        frame.reserveCapacity(data.count + event.utf8.count + (id?.utf8.count ?? 0) + 48)
        if let milliseconds { frame += "retry: \(max(0, milliseconds))\n".utf8 }
        frame += "event: ".utf8
        frame += firstLine(event).utf8
        if let id {
            frame += "\nid: ".utf8
            frame += firstLine(id).utf8
        }
        for line in data.split(omittingEmptySubsequences: false, whereSeparator: { $0 == UInt8(ascii: "\n") }) {
            frame += "\ndata: ".utf8
            frame += line.last == UInt8(ascii: "\r") ? line.dropLast() : line
        }
        frame += "\n\n".utf8
        return frame
    }

    private static func firstLine(_ text: String) -> Substring {
        text.prefix { !$0.isNewline }
    }
}
