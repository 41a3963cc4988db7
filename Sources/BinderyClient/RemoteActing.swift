import Foundation
import ViewModels

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// What is asked for actions: a ``RemoteViewModel``, or a ``BoundViewModel`` that shows what comes of them.
///
/// The code that `bindery client swift` writes adds a method for each action: `try await counter.increment()`.
public protocol RemoteActing<Owner>: Sendable {
    /// Whose actions they are.
    associatedtype Owner: Presented

    /// Asks for an action, `POST`, with a body that is JSON text already.
    ///
    /// Where its answer is lost, or the server cannot take it, it is asked for again under the same key, for
    /// ``BinderyClient/Options/actionPatience``; it is done once.
    ///
    /// - Parameters:
    ///   - action: its name.
    ///   - body: nil for an action that takes none.
    ///   - cursor: where given, nothing is done unless this is where the view model stands: 412 (`If-Match`).
    ///   - key: the `Idempotency-Key`, 1 to 255 visible ASCII characters without a double quote; nil for one of its
    ///     own.
    /// - Returns: what the view model shows once the action is stored.
    /// - Throws: ``RemoteProblem``, such as 409 for an action that is disabled now; ``RemoteFailure`` where nobody answers;
    ///   `CancellationError`, after which it is not asked for again, and may have been done.
    @discardableResult
    func perform(
        _ action: String, json body: [UInt8]?, ifMatch cursor: RemoteCursor?, key: String?
    ) async throws -> RemoteState<Owner>
}

extension RemoteActing {
    /// Asks for an action that takes no body; else as ``perform(_:json:ifMatch:key:)``.
    @discardableResult
    public func act(
        _ action: String, ifMatch cursor: RemoteCursor? = nil, key: String? = nil
    ) async throws -> RemoteState<Owner> {
        try await perform(action, json: nil, ifMatch: cursor, key: key)
    }

    /// Asks for an action that takes a body; else as ``perform(_:json:ifMatch:key:)``.
    ///
    /// - Parameter body: a value of the type that the action takes.
    @discardableResult
    public func act(
        _ action: String, _ body: some Encodable, ifMatch cursor: RemoteCursor? = nil, key: String? = nil
    ) async throws -> RemoteState<Owner> {
        try await perform(action, json: JSON.encode(body), ifMatch: cursor, key: key)
    }
}

extension RemoteSession {
    /// Asks for an action until there is an answer that is not worth another try.
    package func act(
        _ action: String, of viewModel: String, json: [UInt8]?, ifMatch cursor: RemoteCursor? = nil, key: String? = nil
    ) async throws -> RemoteAnswer {
        var request = request("POST", "/\(viewModel)/\(action)")
        // One for all attempts.
        request.setValue("\"\(key ?? UUID().uuidString)\"", forHTTPHeaderField: "Idempotency-Key")
        if let cursor { request.setValue("\"\(cursor)\"", forHTTPHeaderField: "If-Match") }
        if let json {
            request.httpBody = Data(json)
            request.setValue("application/json", forHTTPHeaderField: "Content-Type")
        }
        let options = client.options
        var patience = Patience(options, for: options.actionPatience)
        var isReached = false
        while true {
            do {
                let answer = try await client.answer(to: request)
                _ = try answer.cursor
                return answer
            } catch {
                isReached = isReached || (error as? RemoteFailure)?.isUnreachable != true
                let attempts = patience.pauses + 1
                if let pause = patience.pause(after: error, of: .action) {
                    options.onRetry(pause, error)
                    try await options.clock.sleep(for: pause)
                    guard patience.isLate else { continue }
                } else if !patience.isOver {
                    throw error
                }
                throw RemoteFailure.gaveUp(request, after: attempts, patience.spent, reached: isReached, error)
            }
        }
    }
}
