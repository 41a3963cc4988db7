import Binding
import Foundation
import Locking

/// What came, in the order in which it came; safe from any thread.
final class History<Value: Sendable>: Sendable {
    private let state = Lock<[Value]>([])

    var all: [Value] { state.withLock { $0 } }

    func append(_ value: Value) {
        state.withLock { $0.append(value) }
    }
}
