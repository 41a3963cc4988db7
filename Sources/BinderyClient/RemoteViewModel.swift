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
public struct RemoteViewModel<Owner: Presented>: RemoteActing {
    /// The session that it is of.
    public let session: RemoteSession
    /// Its name.
    public var name: String { Owner.presentation.name.rawValue }

    /// What it shows now.
    ///
    /// - Parameter facet: the name of a facet, to see what that shows alone.
    /// - Throws: ``RemoteProblem``, such as 401 after the session's end; ``RemoteFailure``; `CancellationError`.
    public func state(facet: String? = nil) async throws -> RemoteState<Owner> {
        let path = facet.map { "/\(name)/\($0)" } ?? "/\(Owner.presentation.topic)"
        return try RemoteState(try await session.client.answer(to: session.request("GET", path)))
    }

    /// Asks for an action; see ``RemoteActing/perform(_:json:ifMatch:key:)``.
    @discardableResult
    public func perform(
        _ action: String, json body: [UInt8]?, ifMatch cursor: RemoteCursor?, key: String?
    ) async throws -> RemoteState<Owner> {
        try RemoteState(try await session.act(action, of: name, json: body, ifMatch: cursor, key: key))
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
        RemoteValues(changes: session.changes(topics: [Owner.presentation.topic], over: carrier)) {
            try $0.value(at: path)
        }
    }
}
