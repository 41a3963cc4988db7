import Binding
import ViewModels

/// A session whose view models are bound to as if they were here: their outputs are variables, set when the server tells of
/// a change.
///
/// ```swift
/// let session = try await client.session().bound()
/// let counter = try session.viewModel(CounterViewModel.self)
/// center.observe(counter.text, bindTo: label, \.text)
/// try await counter.act("increment")
/// ```
/// It has one connection for all its view models, goes on over lost ones and restarts, and ends when neither it nor a view model
/// of it is there any more, or by ``close()``. What belongs to one commit is set one after the other, in the order of seq, and
/// nothing older than what is shown: an action's answer and the changes come on connections of their own.
///
/// Variables are set in the thread that brings the change: name the queue of a view where it observes (`on: .main`).
/// Safe from any thread.
public final class BoundSession: Sendable {
    /// The session that it is of.
    public let session: RemoteSession
    let deliveries: Deliveries
    private let following: Task<Void, Never>

    /// How it stands with the connection; what is shown may be old while it waits, and stays what it is after an end.
    public var connection: Constant<RemoteConnection> { deliveries.connection.constant }

    fileprivate init(_ session: RemoteSession, topics: [String], over carrier: RemoteChanges.Carrier) async throws {
        self.session = session
        let deliveries = Deliveries(.live(carrier))
        self.deliveries = deliveries
        let changes = session.changes(topics: topics, over: carrier).onConnection { deliveries.take(.connection($0)) }
        let (first, beginning) = AsyncThrowingStream.makeStream(of: Void.self)
        following = Task {
            do {
                for try await update in changes {
                    deliveries.take(.update(update))
                    beginning.yield()
                }
            } catch {
                beginning.finish(throwing: error)
                if !(error is CancellationError) { deliveries.take(.connection(.ended(error))) }
            }
        }
        do {
            for try await _ in first { break }
            try Task.checkCancellation()
        } catch {
            following.cancel()
            throw error
        }
    }

    deinit {
        deliveries.close()
        following.cancel()
    }

    /// One of its view models, by the host's declaration, or one that `bindery client swift` wrote.
    ///
    /// - Throws: ``RemoteFailure`` where the server does not show an output that is declared, or one of another type.
    public func viewModel<Owner: Presented>(_ type: Owner.Type) throws -> BoundViewModel<Owner> {
        let name = Owner.presentation.name.rawValue
        let outputs = try deliveries.bind { shown in
            var variables: [String: any ShownVariable] = [:]
            for output in Owner.presentation.outputs {
                let place = ShownOutputs.Place(viewModel: name, output: output.name.rawValue)
                guard let text = shown[place] else {
                    throw RemoteFailure(
                        .undeclared,
                        "\(name).\(output.name) is not shown: the topics do not name it, or the server has another build."
                    )
                }
                do { variables[place.output] = try output.variable(text.text) } catch {
                    throw RemoteFailure(
                        .notUnderstood,
                        "\(name).\(output.name) is shown as what it is not declared as: does the server have another build?",
                        cause: error)
                }
            }
            return BoundOutputs(name, variables)
        }
        return BoundViewModel(self, outputs)
    }

    /// Closes the connection; when this returns, nothing is set any more.
    ///
    /// Not to be waited for inside of an observer, which would wait for itself.
    public func close() async {
        following.cancel()
        await deliveries.closed()
        await following.value
    }
}

extension RemoteSession {
    /// Binds to the session's view models, and returns once what they show is here.
    ///
    /// - Parameters:
    ///   - topics: names of view models or facets (`tickets/board`); none for all.
    ///   - carrier: how changes come; by default as the line allows.
    /// - Throws: ``RemoteProblem``, as 401 for a session that has ended; ``RemoteFailure`` where nobody has answered for
    ///   ``BinderyClient/Options/changesPatience``; `CancellationError`.
    public func bound(
        topics: [String] = [], over carrier: RemoteChanges.Carrier = .automatic
    ) async throws -> BoundSession { try await BoundSession(self, topics: topics, over: carrier) }
}
