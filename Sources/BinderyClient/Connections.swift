import Foundation
import Locking

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// The connections of one URLSession; closed when nobody has them, or a ``Call`` on them, any more.
final class Connections: Sendable {
    private let session: URLSession
    private let receivers = Receivers()

    /// - Parameter most: to one host.
    init(most: Int) {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.httpCookieStorage = nil
        configuration.httpShouldSetCookies = false
        configuration.httpCookieAcceptPolicy = .never
        configuration.urlCache = nil
        configuration.requestCachePolicy = .reloadIgnoringLocalCacheData
        configuration.httpMaximumConnectionsPerHost = most
        configuration.timeoutIntervalForRequest = 24 * 60 * 60
        let queue = OperationQueue()
        queue.maxConcurrentOperationCount = 1
        session = URLSession(configuration: configuration, delegate: receivers, delegateQueue: queue)
    }

    // A URLSession keeps its delegate and its connections until then.
    deinit { session.finishTasksAndInvalidate() }

    /// Asks; the receiver is told what comes.
    func begin(_ request: URLRequest, for receiver: any Receiver) -> Call {
        let task = session.dataTask(with: request)
        let call = Call(task, of: receivers, over: self)
        receivers.add(receiver, for: task)
        task.resume()
        return call
    }
}

/// Who is given what comes on one connection, on the URLSession's queue; it must not block.
protocol Receiver: AnyObject, Sendable {
    /// The status and the header fields are there.
    ///
    /// - Returns: whether there is to be more.
    func begin(_ head: HTTPURLResponse) -> Bool

    /// More has come.
    ///
    /// - Returns: whether there is to be more.
    func take(_ bytes: Data) -> Bool

    /// It is over: nil where all has come. Only the first end counts, and nothing is taken after it.
    func end(_ error: (any Error)?)
}

/// A request on its way; closed when nobody has it any more.
final class Call: Sendable {
    private let task: URLSessionDataTask
    private let receivers: Receivers
    /// Not given up while something is under way there.
    private let connections: Connections

    fileprivate init(_ task: URLSessionDataTask, of receivers: Receivers, over connections: Connections) {
        (self.task, self.receivers, self.connections) = (task, receivers, connections)
    }

    deinit { close() }

    /// Closes the connection, where the answer has not come to its end.
    func close() {
        // Where nobody is to be told, it was told that it is over.
        guard receivers.remove(task) != nil else { return }
        task.cancel()
    }
}

/// Tells each receiver what comes for it.
private final class Receivers: NSObject, URLSessionDataDelegate, Sendable {
    private let receivers = Lock<[Int: any Receiver]>([:])

    func add(_ receiver: any Receiver, for task: URLSessionTask) {
        receivers.withLock { $0[task.taskIdentifier] = receiver }
    }

    func remove(_ task: URLSessionTask) -> (any Receiver)? {
        receivers.withLock { $0.removeValue(forKey: task.taskIdentifier) }
    }

    private func receiver(of task: URLSessionTask) -> (any Receiver)? {
        receivers.withLock { $0[task.taskIdentifier] }
    }

    func urlSession(
        _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
        completionHandler: @escaping (URLSession.ResponseDisposition) -> Void
    ) {
        let isWanted = (response as? HTTPURLResponse).flatMap { receiver(of: dataTask)?.begin($0) } ?? false
        completionHandler(isWanted ? .allow : .cancel)
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        if receiver(of: dataTask)?.take(data) == false { dataTask.cancel() }
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        remove(task)?.end(error)
    }

    /// No redirect is followed: a token is for the server that gave it.
    func urlSession(
        _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest, completionHandler: @escaping (URLRequest?) -> Void
    ) { completionHandler(nil) }
}
