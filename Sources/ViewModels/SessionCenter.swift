import Binding
import Foundation
import Locking

/// A session's notification center, made when somebody first asks for it.
///
/// Nobody can listen before: a session in which nobody does, as in most, has neither the center nor the posts. Safe from
/// any thread.
final class SessionCenter: Sendable {
    private struct State: Sendable {
        var center: NotificationCenter?
        /// What is to post on it once it is made.
        var variables: [any ReadableVariable] = []
    }

    private let state: Lock<State>

    /// Takes a center that is there already, or makes one on demand.
    init(_ center: NotificationCenter? = nil) { state = Lock(State(center: center)) }

    /// The center; from the first call on the variables post on it.
    var center: NotificationCenter {
        while true {
            let (known, variables) = state.withLock { ($0.center, $0.variables) }
            if let known { return known }
            let center = NotificationCenter()
            // Not under the lock: a variable may hold the last reference to another center, and what goes away with
            // that may ask for this one.
            for variable in variables { center.attach(variable) }
            let isComplete = state.withLock { state in
                guard state.center == nil, state.variables.map(\.id) == variables.map(\.id) else { return false }
                state.center = center
                state.variables = []
                return true
            }
            if isComplete { return center }
        }
    }

    /// Makes variables post on the center; until it is made they are kept alive for it.
    func attach(_ variables: [any ReadableVariable]) {
        let center = state.withLock { state in
            if state.center == nil { state.variables += variables }
            return state.center
        }
        guard let center else { return }
        for variable in variables { center.attach(variable) }
    }

    /// Lets go of variables whose view model goes away, each as often as it was attached.
    func forget(_ variables: [any ReadableVariable]) {
        // What was known is released after unlocking.
        _ = state.withLock { state in
            let known = state.variables
            for variable in variables {
                guard let place = state.variables.firstIndex(where: { $0.id == variable.id }) else { continue }
                state.variables.remove(at: place)
            }
            return known
        }
    }
}
