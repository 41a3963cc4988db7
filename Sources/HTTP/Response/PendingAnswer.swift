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
        exchange.answerLater(response, because: nil)
    }

    /// Gives a problem as the answer.
    public func answer(_ problem: Problem) {
        var response = problem.response(instance: requestID)
        response.headers += headers
        exchange.answerLater(response, because: problem.cause)
    }

    /// The same place, where whatever is answered carries these fields too.
    public func adding(_ headers: [Response.Header]) -> PendingAnswer {
        var pending = self
        pending.headers += headers
        return pending
    }
}
