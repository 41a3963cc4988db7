/// An answer.
package struct Response: Sendable {
    /// One header field.
    package struct Header: Sendable, Hashable {
        /// Its name.
        package var name: HeaderName
        /// Its value, without control characters: one with a line break turns the whole answer into a 500, as does a name
        /// that is the server's to set.
        package var value: String

        /// Makes a field.
        package init(_ name: HeaderName, _ value: String) {
            self.name = name
            self.value = value
        }
    }

    /// What follows the header.
    package enum Body: Sendable {
        /// Nothing.
        case empty
        /// These bytes; their number is the Content-Length. A 304 neither sends nor announces them.
        case bytes([UInt8])
        /// Bytes that other answers send, too.
        case shared(SharedBody)
        /// A file's bytes, which are read as they are sent.
        case file(FileBody)
        /// Events, as a source brings them; the connection closes after them.
        ///
        /// The closure is called once and makes the source, which is kept until the stream is over. Not for a HEAD, which
        /// is answered without a body, and needs none.
        case eventStream((@Sendable (EventStream) -> any EventSource)?)
        /// An answer that is still to come. Its waiting keeps no task: the handler is over, its memory with it.
        ///
        /// The closure is called once, with the place to answer. What it returns is told how the client goes: of each
        /// ``Departure`` at most once, from any thread, and of none once the answer was given, though an answer that
        /// another thread gives that very moment may cross with it. The response's own status and header fields count
        /// for nothing.
        case later(@Sendable (PendingAnswer) -> @Sendable (Departure) -> Void)
    }

    /// The status, 200 to 599; anything else is sent as 500.
    package var status: Int
    /// The header fields besides the server's own, in the order they are sent; a name may stand more than once.
    package var headers: [Header]
    /// The body.
    package var body: Body
    /// Whether the connection is closed after the answer.
    package var closesConnection = false
    /// A remark for the log, where this answer is a problem; else nil.
    var remark: Remark?

    /// Makes an answer.
    package init(status: Int = 200, headers: [Header] = [], body: Body = .empty) {
        self.status = status
        self.headers = headers
        self.body = body
    }

    /// The same answer, of which the log is to say that it is a problem: one that was answered before and is kept as text.
    ///
    /// - Parameters:
    ///   - slug: the problem's ``Problem/slug``.
    ///   - cause: as ``Problem/cause``.
    package func isProblem(_ slug: String, because cause: String?) -> Response {
        var response = self
        response.remark = Remark(problem: slug, cause: cause)
        return response
    }

    /// An event stream (WHATWG HTML, "Server-sent events"), neither cached nor buffered on its way.
    ///
    /// It is always UTF-8, and says so: some libraries read a text that does not as ISO-8859-1.
    /// A proxy that compresses it would hold events back: `no-transform` forbids it (RFC 9111, section 5.2.2.6).
    /// `X-Accel-Buffering` keeps nginx from buffering, `Incremental` any proxy that knows RFC 10036.
    package static func eventStream(_ source: (@Sendable (EventStream) -> any EventSource)?) -> Response {
        Response(
            headers: [
                Header(.contentType, "text/event-stream; charset=utf-8"),
                Header(.cacheControl, "no-store, no-transform"),
                Header("X-Accel-Buffering", "no"), Header("Incremental", "?1"),
            ], body: .eventStream(source))
    }
}

/// The name of a header field of an answer.
///
/// A token of RFC 9110, section 5.1. Date, Content-Length, Transfer-Encoding, Connection and Request-Id are the server's
/// to set.
package struct HeaderName: Sendable, Hashable, ExpressibleByStringLiteral {
    /// The name, as it is sent.
    package let text: String

    /// Names a field by hand.
    package init(_ text: String) { self.text = text }

    /// Names a field by a literal.
    package init(stringLiteral text: String) { self.text = text }

    /// `Allow`.
    package static let allow: HeaderName = "Allow"
    /// `Cache-Control`.
    package static let cacheControl: HeaderName = "Cache-Control"
    /// `Content-Type`.
    package static let contentType: HeaderName = "Content-Type"
    /// `ETag`.
    package static let eTag: HeaderName = "ETag"
    /// `Location`.
    package static let location: HeaderName = "Location"
    /// `Retry-After`.
    package static let retryAfter: HeaderName = "Retry-After"
    /// `Set-Cookie`.
    package static let setCookie: HeaderName = "Set-Cookie"
    /// `Vary`.
    package static let vary: HeaderName = "Vary"
    /// `WWW-Authenticate`.
    package static let wwwAuthenticate: HeaderName = "WWW-Authenticate"
}

/// Answers a request after its handler has returned.
///
/// May be kept and used from any thread. It has to be answered: until it is, its client waits.
package struct PendingAnswer: Sendable {
    let exchange: Exchange
    /// Fields that the answer carries besides its own.
    private var headers: [Response.Header] = []

    init(exchange: Exchange) { self.exchange = exchange }

    /// Gives the answer: bytes, or an event stream; one that comes later again is begun with this very place.
    ///
    /// Exactly one is taken; the others change nothing.
    package func answer(_ response: Response) {
        if case .later(let begin) = response.body { return exchange.leaveAgain(to: begin, at: self) }
        var response = response
        if !headers.isEmpty { response.headers += headers }
        exchange.answerLater(response)
    }

    /// Gives a problem as the answer.
    package func answer(_ problem: Problem) {
        var response = exchange.response(to: problem)
        response.headers += headers
        exchange.answerLater(response)
    }

    /// The same place, where whatever is answered carries these fields too.
    package func adding(_ headers: [Response.Header]) -> PendingAnswer {
        var pending = self
        pending.headers += headers
        return pending
    }
}

/// How a client goes before it has its answer.
package enum Departure: Sendable {
    /// It will send no more, and perhaps still reads: an answer that is given now may reach it.
    case halfClosed
    /// It has left, or the server stops: nobody reads an answer that is given now.
    case gone
}

extension Response {
    /// An answer that a task of its own finds: for what takes an `await`.
    ///
    /// The task begins where it is asked for, on the connection's event loop mostly, and stays there up to its first
    /// suspension: it must not block. It is cancelled when the client is gone or the server stops, not when the client
    /// only closes its half. A thrown ``Problem`` is the answer; any other error a 500 without its text.
    ///
    /// A suspended task keeps some KiB: what many wait for at once is better left to ``Body/later(_:)``.
    package static func awaiting(
        _ body: nonisolated(nonsending) @escaping @Sendable () async throws -> Response
    ) -> Response {
        Response(
            body: .later { pending in
                let task = Task.immediate {
                    do { pending.answer(try await body()) } catch { pending.answer(Problem(error)) }
                }
                return { departure in
                    if case .gone = departure { task.cancel() }
                }
            })
    }
}
