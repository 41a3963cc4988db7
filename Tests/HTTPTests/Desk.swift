import HTTP
import Locking
import TestSupport
import Testing

/// Keeps the requests of its route, which the test answers.
final class Desk: Sendable {
    private let waiting = Lock<[Responder]>([])
    /// Why the clients of its requests hung up.
    let hangUps = History<ExchangeEntry.Ending>()

    static let request = "GET /desk HTTP/1.1\r\nHost: a\r\n\r\n"

    /// Requests that wait.
    var count: Int { waiting.withLock { $0.count } }

    var route: Route {
        Route(.get, "/desk") { [self] _, responder in
            responder.onHangUp { [hangUps] in hangUps.append($0) }
            waiting.withLock { $0.append(responder) }
        }
    }

    /// Waits for the next request.
    func next() async throws -> Responder {
        await eventually("a request waits") { count > 0 }
        return try #require(waiting.withLock { $0.isEmpty ? nil : $0.removeFirst() })
    }

    /// Answers all that wait.
    func answerAll(_ text: String) {
        let responders = waiting.withLock { waiting in
            defer { waiting = [] }
            return waiting
        }
        for responder in responders { responder.send(.text(text)) }
    }
}
