internal import CHTTPShim

/// The body of an event stream (WHATWG HTML, "Server-sent events").
///
/// Any thread may use it at any time. After its end it ignores events. If its client lags behind by 128 events or
/// 256 KiB, the stream ends, and the client reconnects with its cursor. ``Responder/onHangUp(_:)`` reports each end.
package struct Stream: Sendable {
    let responder: Responder

    /// Forbids caches and buffers, and names UTF-8: without a charset, some libraries read the text as ISO-8859-1.
    ///
    /// `no-transform` forbids compression, which holds events back (RFC 9111, section 5.2.2.6). `X-Accel-Buffering` is
    /// for nginx.
    static let headers = [
        Response.Header("Content-Type", "text/event-stream; charset=utf-8"),
        Response.Header("Cache-Control", "no-store, no-transform"),
        Response.Header("X-Accel-Buffering", "no"),
    ]

    /// Sends an event made by ``frame(event:id:data:retry:)``; false if the stream is over.
    @discardableResult
    package func send(_ event: SharedBody) -> Bool {
        event.raw.map { http_stream_send(responder.pointer, $0) } ?? false
    }

    /// Ends the stream and its connection, after the earlier events and a last one.
    package func finish(saying last: SharedBody? = nil) {
        if let last { send(last) }
        http_stream_finish(responder.pointer)
    }

    /// Encodes one event.
    ///
    /// - Parameters:
    ///   - data: has no line break.
    ///   - milliseconds: how long a client waits before it reconnects. It is in the event's block, because some clients
    ///     take a separate block for an event.
    package static func frame(event: String, id: String?, data: [UInt8], retry milliseconds: Int? = nil) -> [UInt8] {
        let retry = milliseconds.map { "retry: \($0)\n" } ?? ""
        let name = id.map { "event: \(event)\nid: \($0)" } ?? "event: \(event)"
        return Array("\(retry)\(name)\ndata: ".utf8) + data + Array("\n\n".utf8)
    }
}
