import Foundation
import Locking
import ViewModels

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

package struct RemoteAnswer: Sendable {
    let question: String
    let head: HTTPURLResponse
    /// The body, JSON text unless it is empty.
    package let body: Data

    var status: Int { head.statusCode }

    subscript(name: String) -> String? { head.value(forHTTPHeaderField: name) }

    /// Whether a Bindery server may have sent it; a proxy, or the login page of a network, answers with HTML.
    var isOurs: Bool {
        let types = ["application/json", "application/problem+json", "text/event-stream"]
        return status == 204 || head.mimeType.map(types.contains) ?? false
    }

    /// The entity tag without its quotes; a proxy that compresses makes the tag a weak one (`W/"…"`).
    ///
    /// - Throws: ``RemoteFailure`` if there is none.
    var cursor: RemoteCursor {
        get throws {
            let parts = self["ETag"]?.split(separator: "\"", omittingEmptySubsequences: false)
            guard let parts, parts.count == 3, let cursor = RemoteCursor(String(parts[1])) else { throw foreign() }
            return cursor
        }
    }

    /// Reads the body.
    ///
    /// - Throws: ``RemoteFailure`` if it is another value.
    func decode<Value: Decodable>(_ type: Value.Type = Value.self) throws -> Value {
        do { return try JSON.decode(type, from: Array(body)) } catch { throw foreign(error) }
    }

    /// The error that no Bindery server sent this answer.
    func foreign(_ cause: (any Error)? = nil) -> RemoteFailure {
        RemoteFailure(
            .notUnderstood,
            "\(question): the answer, \(status) with \(head.mimeType ?? "no type"), comes from no Bindery server. Check the URL.",
            cause: cause)
    }
}

/// A running request and the unread bytes of its answer; the release of the last reference closes it.
///
/// On Linux a cancelled `URLSession.data(for:)` sometimes never returns (Foundation of Swift 6.3), and `bytes(for:)` does not
/// exist. One fault remains: Foundation of Swift 6.3 ends the process if a connection closes within the head of an answer
/// (swift-corelibs-foundation, issue 5285).
final class Exchange: Sendable {
    private struct State: Sendable {
        var head: HTTPURLResponse?
        var unread = 0
    }

    private let request: URLRequest
    private let task: URLSessionDataTask
    private let connections: Connections
    private let state = Lock(State())
    private let (pieces, arriving) = AsyncThrowingStream<Data, any Error>.makeStream()

    /// Takes a task that is not resumed.
    init(_ request: URLRequest, _ task: URLSessionDataTask, _ connections: Connections) {
        (self.request, self.task, self.connections) = (request, task, connections)
        // A reader whose task is cancelled ends the stream.
        arriving.onTermination = { _ in task.cancel() }
    }

    deinit { task.cancel() }

    /// The status and the header fields; nil before they arrive.
    var head: HTTPURLResponse? { state.withLock { $0.head } }

    /// The next bytes; nil at the end of the answer.
    ///
    /// One task at a time may call it. If the task is cancelled, the connection is closed.
    /// - Throws: ``RemoteFailure``, `CancellationError`.
    func next() async throws -> Data? {
        var pieces = pieces.makeAsyncIterator()
        let piece = try await pieces.next()
        if let piece { state.withLock { $0.unread -= piece.count } } else { try Task.checkCancellation() }
        return piece
    }

    /// The whole answer, with the bytes that were read before; throws as ``next()``.
    func answer(after start: Data = Data()) async throws -> RemoteAnswer {
        var body = start
        while let bytes = try await next() {
            body += bytes
            guard body.count <= BinderyClient.largestAnswer else { throw RemoteFailure.tooLarge }
        }
        guard let head else { throw RemoteFailure.lost(request, nil) }
        return RemoteAnswer(question: request.question, head: head, body: body)
    }

    func take(_ head: HTTPURLResponse) { state.withLock { $0.head = head } }

    func take(_ bytes: Data) {
        let unread = state.withLock { state in
            state.unread += bytes.count
            return state.unread
        }
        arriving.yield(bytes)
        // A slow reader of a stream opens a new one with its cursor, and misses nothing.
        if unread > BinderyClient.largestAnswer { arriving.finish(throwing: RemoteFailure.tooLarge) }
    }

    /// Takes the end of the answer, with nil if it is complete; earlier bytes can still be read.
    func complete(_ error: (any Error)?) {
        arriving.finish(throwing: error.map { RemoteFailure.lost(request, $0) })
    }
}

extension RemoteFailure {
    /// The failure for a bad URL, a missing or lost connection, or an answer that is late.
    fileprivate static func lost(_ request: URLRequest, _ cause: (any Error)?) -> RemoteFailure {
        let (url, error) = (request.url?.absoluteString ?? "", cause as? URLError)
        let reason = error.map { ": \($0.localizedDescription)" } ?? "."
        switch error?.code {
        case .badURL, .unsupportedURL:
            // Foundation on Linux refuses `http://[::1]:8080` (Swift 6.3).
            let hint = url.contains("[") ? " Foundation on Linux takes no IPv6 address in a URL: use a host name." : ""
            return RemoteFailure(.unreachable, "\(url) is not a usable URL.\(hint)", cause: cause)
        case .cannotConnectToHost, .cannotFindHost, .dnsLookupFailed:
            return RemoteFailure(.unreachable, "\(request.question): no connection to \(url)\(reason)", cause: cause)
        case .timedOut:
            let words = "nothing came from \(url) for \(Int(request.timeoutInterval)) s. Check the server and the URL."
            return RemoteFailure(.timedOut, "\(request.question): \(words)", cause: cause)
        default:
            return RemoteFailure(.connectionLost, "\(request.question): the connection was lost\(reason)", cause: cause)
        }
    }
}

extension URLRequest {
    /// The method and the path, without the query.
    var question: String { "\(httpMethod ?? "GET") \(url?.path ?? "")" }

    mutating func set(json: [UInt8]) {
        httpBody = Data(json)
        setValue("application/json", forHTTPHeaderField: "Content-Type")
    }
}

extension Clock where Duration == Swift.Duration {
    /// Returns a closure that gives the time since this call.
    func stopwatch() -> @Sendable () -> Duration {
        let start = now
        return { start.duration(to: now) }
    }
}
