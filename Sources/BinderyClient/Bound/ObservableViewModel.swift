#if canImport(Observation)
    import Binding
    import Foundation
    import Observation
    import ViewModels

    /// A view model on a server as SwiftUI observes one: each output is a property, read in a view's body.
    ///
    /// ```swift
    /// struct CounterView: View {
    ///     let counter: ObservableViewModel<Counter>
    ///     var body: some View {
    ///         Text(counter.text).opacity(counter.alpha)
    ///         Button("+") { Task { try await counter.increment() } }
    ///     }
    /// }
    /// ```
    /// Outputs change on the main actor, each after the server has told of it.
    @MainActor
    @dynamicMemberLookup
    public final class ObservableViewModel<Owner: Presented>: Observable, RemoteActing {
        private nonisolated let bound: BoundViewModel<Owner>
        private let registrar = ObservationRegistrar()
        private var values: [String: any Sendable] = [:]
        private var line: RemoteConnection
        private let bag = Bag()

        /// Shows what a bound view model shows.
        public init(_ bound: BoundViewModel<Owner>) {
            self.bound = bound
            line = bound.session.connection.value
            for (name, variable) in bound.outputs.variables {
                values[name] = variable.current
                variable.observe(on: .main) { [weak self] value in
                    MainActor.assumeIsolated { self?.set(\.[name]) { $0.values[name] = value } }
                }.disposed(by: bag)
            }
            NotificationCenter().observe(bound.session.connection, on: .main) { [weak self] connection in
                MainActor.assumeIsolated { self?.set(\.connection) { $0.line = connection } }
            }.disposed(by: bag)
        }

        private func set(_ path: KeyPath<ObservableViewModel, some Any>, _ change: (ObservableViewModel) -> Void) {
            registrar.withMutation(of: self, keyPath: path) { change(self) }
        }

        /// How it stands with the connection.
        public var connection: RemoteConnection {
            registrar.access(self, keyPath: \.connection)
            return line
        }

        private subscript(name: String) -> (any Sendable)? {
            registrar.access(self, keyPath: \.[name])
            return values[name]
        }

        /// An output that is declared as a plain property; to ask for a property that is no output stops the program.
        public subscript<Value: Decodable & Sendable>(dynamicMember path: KeyPath<Owner, Value>) -> Value {
            value(at: path)
        }

        /// An output that is declared as a variable, a constant or a `$` face; else as the other.
        public subscript<Value: Decodable & Sendable>(
            dynamicMember path: KeyPath<Owner, some ReadableVariable<Value>>
        ) -> Value { value(at: path) }

        private func value<Value>(at path: PartialKeyPath<Owner>) -> Value {
            let output = Owner.presentation.output(at: path)
            guard let output, let value = self[output.name.rawValue] as? Value else {
                preconditionFailure(Owner.undeclared(path).description)
            }
            return value
        }

        /// Asks for an action; see ``RemoteActing/perform(_:json:ifMatch:key:)``.
        @discardableResult
        public nonisolated func perform(
            _ action: String, json body: [UInt8]?, ifMatch cursor: RemoteCursor?, key: String?
        ) async throws -> RemoteState<Owner> {
            try await bound.perform(action, json: body, ifMatch: cursor, key: key)
        }
    }
#endif
