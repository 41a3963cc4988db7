import Foundation
import ViewModels

/// An action of a view model on a server; call it like a method.
public struct RemoteAction: Sendable {
    let perform: @Sendable (_ json: [UInt8]?, _ key: String?) async throws -> Void

    /// Performs the action, and returns when the outputs show its effect.
    ///
    /// If an answer is lost, or the server is away, the client repeats the action for 30 s under the same key, and the
    /// server does it once. A cancelled task does not repeat the action, which may have been done.
    ///
    /// - Parameters:
    ///   - body: sent as JSON; nil for an action without a body.
    ///   - key: the `Idempotency-Key`, 1 to 255 visible ASCII characters without `"`; nil for a new one.
    /// - Throws: ``RemoteProblem``, such as 409 for an action that is disabled now; ``RemoteFailure``, before any request
    ///   if the declaration has no such action; `CancellationError`.
    public func callAsFunction<Body: Encodable & Sendable>(
        _ body: Body? = String?.none, key: String? = nil
    ) async throws {
        try await perform(body.map { try JSON.encode($0) }, key)
    }
}

extension RemoteSession {
    /// Performs an action by its name, and repeats it under one key until there is an outcome.
    ///
    /// - Parameters:
    ///   - json: the body; nil for none.
    ///   - key: the `Idempotency-Key`; nil for a new one.
    /// - Throws: ``RemoteProblem``, ``RemoteFailure``, `CancellationError`.
    package func act(
        _ action: String, of viewModel: String, json: [UInt8]?, key: String? = nil
    ) async throws -> RemoteAnswer {
        var request = request("POST", "/\(viewModel)/\(action)")
        let key = key ?? UUID().uuidString
        request.setValue("\"\(key)\"", forHTTPHeaderField: "Idempotency-Key")
        if let json { request.set(json: json) }
        let (options, limit) = (client.options, client.options.actionTime)
        let elapsed = options.clock.stopwatch()
        var backoff = Backoff(options)
        while true {
            do {
                let answer = try await client.answer(to: request)
                _ = try answer.cursor
                return answer
            } catch {
                switch error {
                case let problem as RemoteProblem where problem.isPassing: break
                case let failure as RemoteFailure where failure.code != .notUnderstood && client.isReached: break
                default: throw error
                }
                let pause = backoff.pause(after: error)
                if elapsed() + pause < limit {
                    options.onRetry(pause, error)
                    try await options.clock.sleep(for: pause)
                    // After a longer sleep of the process, the server may have forgotten the key.
                    if elapsed() < limit { continue }
                }
                throw RemoteFailure(
                    .gaveUp,
                    "\(request.question): no outcome within \(limit). The action may have been done; under the key \(key) it "
                        + "is done once. The last error: \(error)", cause: error)
            }
        }
    }
}
