/// The place to answer a request whose handler is over.
///
/// May be kept and used from any thread. It has to be answered: until it is, its client waits.
public struct PendingAnswer: Sendable {
    let exchange: Exchange
    /// Fields that the answer carries besides its own.
    private var headers: [Response.Header] = []

    init(exchange: Exchange) { self.exchange = exchange }

    /// The request's id.
    public var requestID: String { exchange.id }

    /// Gives the answer: bytes, or an event stream; one that comes later again is begun with this very place.
    ///
    /// Exactly one is taken; the others change nothing.
    public func answer(_ response: Response) {
        if case .later(let begin) = response.body { return exchange.leaveAgain(to: begin, at: self) }
        var response = response
        if !headers.isEmpty { response.headers += headers }
        exchange.answerLater(response)
    }

    /// Gives a problem as the answer.
    public func answer(_ problem: Problem) {
        var response = problem.response(instance: requestID)
        response.headers += headers
        exchange.answerLater(response)
    }

    /// The same place, where whatever is answered carries these fields too.
    public func adding(_ headers: [Response.Header]) -> PendingAnswer {
        var pending = self
        pending.headers += headers
        return pending
    }
}

/// How a client goes before it has its answer.
public enum Departure: Sendable {
    /// It will send no more, and perhaps still reads: an answer that is given now may reach it.
    case halfClosed
    /// It has left, or the server stops: what is answered now is read by nobody.
    case gone
}

extension Response {
    /// What a task of its own comes to: for an answer that takes an `await`.
    ///
    /// The task begins where it is asked for, on the connection's event loop mostly, and stays there up to its first
    /// suspension: it must not block. It is cancelled when the client is gone or the server stops, not when the client
    /// only closes its half. A thrown ``Problem`` is the answer; any other error a 500 without its text.
    ///
    /// A suspended task keeps some KiB: what many wait for at once is better left to ``Body/later(_:)``.
    public static func awaiting(
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
