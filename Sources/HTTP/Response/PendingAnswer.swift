internal import CHTTPShim

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

    /// Gives the answer.
    ///
    /// Exactly one is taken; the others change nothing. An answer that is itself a stream or still to come is a mistake
    /// and sent as 500: either needs a handler.
    public func answer(_ response: Response) {
        var response = response
        if !headers.isEmpty { response.headers += headers }
        switch response.body {
        case .empty, .bytes, .shared: exchange.answer(response)
        case .eventStream, .later: exchange.answer(Problem.internalError.response(instance: requestID))
        }
    }

    /// Gives a problem as the answer.
    public func answer(_ problem: Problem) {
        var response = problem.response(instance: requestID)
        response.headers += headers
        exchange.answer(response, because: problem.cause)
    }

    /// The same place, where whatever is answered carries these fields too.
    public func adding(_ headers: [Response.Header]) -> PendingAnswer {
        var pending = self
        pending.headers += headers
        return pending
    }
}
