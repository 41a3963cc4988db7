import Binding
import Foundation
import ViewModels

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// A view model of a session on a server, typed by its declaration.
///
/// Outputs are named by the key paths of the view model's `interface`: `\.display`, or `\.$text` for one that is
/// declared so. Safe from any thread.
public struct RemoteViewModel<Owner: ViewModel>: Sendable {
    /// The session that it is of.
    public let session: RemoteSession
    /// Its name, and topic.
    public var name: String { Owner.interface.name.rawValue }

    /// What it shows now.
    ///
    /// - Parameter facet: the name of a facet, to see what that shows alone.
    /// - Throws: ``RemoteProblem``, such as 401 after the session's end; ``RemoteFailure``; `CancellationError`.
    public func state(facet: String? = nil) async throws -> RemoteState<Owner> {
        let path = "/" + name + (facet.map { "/\($0)" } ?? "")
        return try RemoteState(try await session.client.answer(to: session.request("GET", path)))
    }

    /// Asks for an action, `POST`.
    ///
    /// Where its answer is lost, or the server cannot take it, it is asked for again under the same key, for
    /// ``BinderyClient/Options/actionPatience``; it is done once.
    ///
    /// - Parameters:
    ///   - action: its name.
    ///   - cursor: where given, nothing is done unless this is where the view model stands: 412 (`If-Match`).
    ///   - key: the `Idempotency-Key`, 1 to 255 visible characters; nil for one of its own.
    /// - Returns: what the view model shows once the action is stored.
    /// - Throws: ``RemoteProblem``, such as 409 for an action that is disabled now; ``RemoteFailure`` where nobody answers;
    ///   `CancellationError`, after which it is not asked for again, and may have been done.
    @discardableResult
    public func act(
        _ action: String, ifMatch cursor: RemoteCursor? = nil, key: String? = nil
    ) async throws -> RemoteState<Owner> {
        try await act(action, json: nil, ifMatch: cursor, key: key)
    }

    /// Asks for an action that takes a body; else as ``act(_:ifMatch:key:)``.
    ///
    /// - Parameter body: a value of the type that the action takes.
    @discardableResult
    public func act(
        _ action: String, _ body: some Encodable, ifMatch cursor: RemoteCursor? = nil, key: String? = nil
    ) async throws -> RemoteState<Owner> {
        try await act(action, json: Data(JSON.encode(body)), ifMatch: cursor, key: key)
    }

    private func act(_ action: String, json: Data?, ifMatch cursor: RemoteCursor?, key: String?) async throws
        -> RemoteState<Owner>
    {
        var request = session.request("POST", "/\(name)/\(action)")
        request.setValue("\"\(key ?? UUID().uuidString)\"", forHTTPHeaderField: "Idempotency-Key")
        if let cursor { request.setValue("\"\(cursor)\"", forHTTPHeaderField: "If-Match") }
        if let json {
            request.httpBody = json
            request.setValue("application/json", forHTTPHeaderField: "Content-Type")
        }
        return try RemoteState(try await session.client.repeatedAnswer(to: request))
    }

    /// An output's value now, and whenever it changes, for as long as somebody asks.
    ///
    /// The newest counts: what comes while nobody asks is passed over for what came after it.
    ///
    /// - Parameter path: of an output that is a plain property.
    public func values<Value: Decodable & Sendable>(
        of path: KeyPath<Owner, Value> & Sendable, over carrier: RemoteChanges.Carrier = .automatic
    ) -> RemoteValues<Value> { values(at: path, over: carrier) }

    /// The same for an output that is a `Variable`, a `Constant` or the `$` face of a `Posted` property.
    public func values<Value: Decodable & Sendable>(
        of path: KeyPath<Owner, some ReadableVariable<Value>> & Sendable,
        over carrier: RemoteChanges.Carrier = .automatic
    ) -> RemoteValues<Value> { values(at: path, over: carrier) }

    private func values<Value: Decodable & Sendable>(
        at path: PartialKeyPath<Owner> & Sendable, over carrier: RemoteChanges.Carrier
    ) -> RemoteValues<Value> {
        RemoteValues(changes: session.changes(topics: [name], over: carrier)) { try $0.value(at: path) }
    }
}

extension BinderyClient {
    /// Asks for an action until there is an answer that is not worth another try.
    fileprivate func repeatedAnswer(to request: URLRequest) async throws -> RemoteAnswer {
        var patience = Patience(options, for: options.actionPatience)
        while true {
            do { return try await answer(to: request) } catch {
                if let pause = patience.pause(after: error, of: .action) {
                    try await options.clock.sleep(for: pause)
                } else if patience.isOver {
                    throw RemoteFailure.gaveUp(request, after: patience.pauses + 1, options.actionPatience, error)
                } else {
                    throw error
                }
            }
        }
    }
}
