import Binding
import ViewModels

/// The counter's rules as streams: it merges the presses of two buttons with the latest count, and maps them to
/// outputs.
final class CounterStream: ObjectViewModel {
    static let interface = Interface<CounterStream>("counter-stream", "The counter, its rules as streams.") {
        Output("text", \.text, "The count in decimal digits.")
        Output("enabled", \.enabled, "Whether the down button can be pressed.")
        Output("alpha", \.alpha, "The opacity of the down button, 0.5 when it is disabled.")
        Action("increment", "Adds one.") { try await $0.increment() }
            .refusing(.disabled, "The count has its largest value.")
        Action("decrement", "Takes one away.") { try await $0.decrement() }
            .refusing(.disabled, "The count is zero.")
    }

    /// A press of a button: the continuation gets whether the count allowed the press.
    private typealias Press = CheckedContinuation<Bool, Never>

    // Inputs

    func increment() async throws {
        guard await press(up) else { throw Refusal.disabled("The counter cannot count any higher.") }
    }

    func decrement() async throws {
        guard await press(down) else { throw Refusal.disabled("The counter is at zero; increment it first.") }
    }

    // Outputs

    let text: Constant<String>
    let enabled: Constant<Bool>
    let alpha: Constant<Double>

    // Wiring

    private let count: Variable<Int>
    private let up: AsyncStream<Press>.Continuation
    private let down: AsyncStream<Press>.Continuation
    private let flow: Task<Void, Never>

    init(model: Count, context: Context) {
        let count = Variable(model.count)
        let text = Variable("\(model.count)")
        let enabled = Variable(model.count > 0)
        let alpha = Variable(model.count > 0 ? 1 : 0.5)
        let (ups, up) = AsyncStream.makeStream(of: Press.self)
        let (downs, down) = AsyncStream.makeStream(of: Press.self)
        let steps = merge(ups.map { (step: 1, press: $0) }, downs.map { (step: -1, press: $0) })
        flow = Task {
            for await ((step, press), latest) in steps.withLatestFrom(count) {
                let (next, overflow) = latest.addingReportingOverflow(step)
                let isAllowed = next >= 0 && !overflow
                if isAllowed {
                    count.value = next
                    text.update(to: "\(next)")
                    enabled.update(to: next > 0)
                    alpha.update(to: next > 0 ? 1 : 0.5)
                }
                press.resume(returning: isAllowed)
            }
        }
        (self.count, self.up, self.down) = (count, up, down)
        (self.text, self.enabled, self.alpha) = (text.constant, enabled.constant, alpha.constant)
    }

    deinit { flow.cancel() }

    var model: Count { Count(count: count.value) }

    // The caller keeps the counter alive, so the stream answers before it ends.
    private func press(_ button: AsyncStream<Press>.Continuation) async -> Bool {
        await withCheckedContinuation { _ = button.yield($0) }
    }
}
