import Binding
import Foundation
import Observation
import ViewModels

/// A view model on a server, for SwiftUI: each output is a property that a view's body reads.
///
/// ```swift
/// let counter: ObservableViewModel<Counter>
/// var body: some View {
///     Text(counter.text).opacity(counter.alpha)
///     Button("+") { Task { try await counter.increment() } }
/// }
/// ```
/// It notifies observers on the main actor.
@MainActor
@dynamicMemberLookup
public final class ObservableViewModel<Root: Hostable>: Observable {
    private let remote: RemoteViewModel<Root>
    private let registrar = ObservationRegistrar()
    private let bag = Bag()

    /// Shows the outputs of a view model.
    public init(_ remote: RemoteViewModel<Root>) {
        self.remote = remote
        for (variable, _) in remote.outputs.variables.values { watch(variable) }
        watch(remote.connection)
    }

    private func watch(_ source: some ReadableVariable) {
        NotificationCenter.default.observe(source, on: .main) { [weak self] _ in
            MainActor.assumeIsolated { self.map { $0.registrar.withMutation(of: $0, keyPath: \.shown) {} } }
        }.disposed(by: bag)
    }

    /// The view model; if anything in it changes, SwiftUI redraws each view that reads it.
    private var shown: RemoteViewModel<Root> {
        registrar.access(self, keyPath: \.shown)
        return remote
    }

    /// The state of the connection.
    public var connection: RemoteConnection { shown.connection.value }

    /// An output, by the property that declares it; any other property is a programming error and stops the program.
    public subscript<Value: Codable & Sendable>(dynamicMember path: KeyPath<Root, Value>) -> Value {
        shown[dynamicMember: path].value
    }

    /// An output that is declared by a `Variable`, a `Constant` or the `$` face of a `Posted` property.
    public subscript<Value: Codable & Sendable>(
        dynamicMember path: KeyPath<Root, some ReadableVariable<Value>>
    ) -> Value { shown[dynamicMember: path].value }

    /// An output by its name; see ``RemoteViewModel/output(_:as:)``.
    public func output<Value: Codable & Sendable>(_ name: String, as type: Value.Type = Value.self) throws -> Value {
        try shown.output(name, as: type).value
    }

    /// An action by its name; see ``RemoteAction``.
    public nonisolated subscript(dynamicMember name: String) -> RemoteAction { remote[dynamicMember: name] }
}
