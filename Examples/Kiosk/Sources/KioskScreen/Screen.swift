import BinderyClient
import Foundation

/// A counter's screen in a terminal: what is shown, and two keys.
public final class Screen: Sendable {
    private let counter: BoundViewModel<Counter>
    private let print: @Sendable (String) -> Void
    private let bag = Bag()

    /// Shows the counter of a session, from now on.
    ///
    /// - Parameter print: takes each line of the screen.
    /// - Throws: `RemoteProblem`, `RemoteFailure`; `CancellationError`.
    public init(of session: RemoteSession, print: @escaping @Sendable (String) -> Void) async throws {
        self.print = print
        let bound = try await session.bound(topics: ["counter"])
        counter = try bound.viewModel(Counter.self)
        let center = NotificationCenter()
        center.observe(counter.text) { print("[\($0)]") }.disposed(by: bag)
        center.observe(bound.connection) { connection in
            switch connection {
            case .live: break
            case .waiting(let pause, _): print("(away, back in \(pause))")
            case .ended(let error): print("(over: \(error))")
            }
        }.disposed(by: bag)
    }

    /// Does what a key is for; what the server refuses is a line of the screen.
    ///
    /// - Returns: whether the key has a meaning.
    /// - Throws: `RemoteFailure` where nobody answers.
    public func press(_ key: Character) async throws -> Bool {
        do {
            switch key {
            case "+": try await counter.increment()
            case "-": try await counter.decrement()
            default: return false
            }
        } catch let problem as RemoteProblem {
            print("(\(problem.detail))")
        }
        return true
    }
}
