internal import CHTTPShim

/// The body of an event stream (WHATWG HTML, "Server-sent events").
///
/// Any thread may use it, for as long as wanted: it takes nothing after its end. It ends if its client lags behind by 128
/// events or 256 KiB; the client then comes back with its cursor. ``Responder/onHangUp(_:)`` tells of each end.
package struct Stream: Sendable {
    let responder: Responder

    /// Neither cached nor buffered on its way, and UTF-8: some libraries read a text without a charset as ISO-8859-1.
    ///
    /// `no-transform` forbids compression, which holds events back (RFC 9111, section 5.2.2.6). `X-Accel-Buffering` is
    /// for nginx, `Incremental` for proxies that know RFC 10036.
    static let headers = [
        Response.Header(.contentType, "text/event-stream; charset=utf-8"),
        Response.Header(.cacheControl, "no-store, no-transform"),
        Response.Header("X-Accel-Buffering", "no"), Response.Header("Incremental", "?1"),
    ]

    /// Sends an event, as ``frame(event:id:data:retry:)`` makes it; false if the stream is over.
    @discardableResult
    package func send(_ event: SharedBody) -> Bool {
        event.raw.map { http_stream_send(responder.pointer, $0) } ?? false
    }

    /// Ends the stream after what was sent and a last event, and the connection with it.
    package func finish(saying last: SharedBody? = nil) {
        if let last { send(last) }
        http_stream_finish(responder.pointer)
    }

    /// One event: a line of data for each line of `data`; `event` and `id` have no line breaks.
    ///
    /// - Parameter milliseconds: how long a client waits before it reconnects. It stands in the event's block: some
    ///   clients take a block of its own for an event.
    package static func frame(event: String, id: String?, data: [UInt8], retry milliseconds: Int? = nil) -> [UInt8] {
        var frame: [UInt8] = []
        frame.reserveCapacity(data.count + event.utf8.count + (id?.utf8.count ?? 0) + 48)
        if let milliseconds { frame += "retry: \(max(0, milliseconds))\n".utf8 }
        frame += "event: \(event.prefix { !$0.isNewline })".utf8
        if let id { frame += "\nid: \(id.prefix { !$0.isNewline })".utf8 }
        for line in data.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false) {
            frame += "\ndata: ".utf8
            frame += line.last == UInt8(ascii: "\r") ? line.dropLast() : line
        }
        frame += "\n\n".utf8
        return frame
    }
}
