internal import CHTTPShim

/// The writing end of an event stream (WHATWG HTML, "Server-sent events").
///
/// One event at a time is on its way. May be used from any thread, for as long as wanted: what is sent after the end is
/// not taken.
package struct EventStream: Sendable {
    /// What became of an event.
    package enum Sending: Sendable {
        /// It is on its way.
        case taken
        /// The one before it is still on its way: nothing was taken, and ``EventSource/streamIsReady()`` is called when
        /// there is room. Send what is newest then.
        case behind
        /// The client has left, or the stream has ended.
        case over
    }

    let exchange: Exchange

    /// Sends an event, as ``frame(event:id:data:)`` makes it.
    @discardableResult
    package func send(_ event: SharedBody) -> Sending {
        guard let raw = event.raw else {
            finish()
            return .over
        }
        switch http_stream_send(exchange.pointer.raw, raw) {
        case HTTP_WRITE_TAKEN: return .taken
        case HTTP_WRITE_FULL: return .behind
        default: return .over
        }
    }

    /// Ends the stream after what was sent and a last event, if there is one, and the connection with it.
    package func finish(saying last: SharedBody? = nil) { http_stream_finish(exchange.pointer.raw, last?.raw) }

    /// One event as it goes over the wire: a line of data for each line of `data`.
    ///
    /// `event` and `id` must be free of line breaks: what follows one is left out. `retry` is how long to wait, in
    /// milliseconds, before a client reconnects; it stands in the event's block, since in one of its own some clients
    /// would see an event without data.
    package static func frame(
        event: String, id: String?, data: [UInt8], retry milliseconds: Int? = nil
    ) -> [UInt8] {
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

/// Brings the events of one stream.
///
/// Both are called on an event loop's thread, one after the other, and must not block it.
package protocol EventSource: AnyObject, Sendable {
    /// The stream takes the next event: its head was sent, or there is room again after one was not taken.
    func streamIsReady()

    /// The stream is over: its client has left, or it was finished. Called once.
    func streamIsOver()
}
