import Foundation
import Locking

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// The connections of one URLSession; released with the last reference.
///
/// Each stream has its own URLSession, because Foundation opens at most six connections to one host.
final class Connections: Sendable {
    private let session: URLSession
    private let exchanges = Exchanges()

    init() {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.httpCookieStorage = nil
        configuration.urlCache = nil
        session = URLSession(configuration: configuration, delegate: exchanges, delegateQueue: nil)
    }

    // A URLSession keeps its delegate and its connections until this call.
    deinit { session.finishTasksAndInvalidate() }

    /// Sends a request, whose exchange ends if no bytes arrive for `silence`; throws in a cancelled task.
    func begin(_ request: URLRequest, silence: Duration) throws -> Exchange {
        try Task.checkCancellation()
        var request = request
        // Foundation on Linux takes whole seconds (Swift 6.3).
        request.timeoutInterval = (silence / .seconds(1)).rounded(.up)
        let task = session.dataTask(with: request)
        let exchange = Exchange(request, task, self)
        exchanges.table.withLock { $0[task.taskIdentifier] = WeakExchange(exchange: exchange) }
        task.resume()
        return exchange
    }
}

struct WeakExchange: Sendable { weak var exchange: Exchange? }

/// Passes arriving bytes to their exchange, on the URLSession's queue.
private final class Exchanges: NSObject, URLSessionDataDelegate, Sendable {
    let table = Lock<[Int: WeakExchange]>([:])

    private subscript(task: URLSessionTask) -> Exchange? { table.withLock { $0[task.taskIdentifier]?.exchange } }

    func urlSession(
        _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
        completionHandler: @escaping (URLSession.ResponseDisposition) -> Void
    ) {
        if let head = response as? HTTPURLResponse { self[dataTask]?.take(head) }
        completionHandler(.allow)
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        self[dataTask]?.take(data)
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        self[task]?.complete(error)
        _ = table.withLock { $0.removeValue(forKey: task.taskIdentifier) }
    }

    /// Follows no redirect, because a token is only for the server that made it.
    func urlSession(
        _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest, completionHandler: @escaping (URLRequest?) -> Void
    ) { completionHandler(nil) }
}
