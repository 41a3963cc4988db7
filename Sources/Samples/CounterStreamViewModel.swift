import Binding
import ViewModels

/// The counter's rules as streams: taps up and down, merged, with the latest count, mapped to the outputs.
///
/// An action sends its tap into the stream and waits until the outputs have come out at the other end.
public final class CounterStreamViewModel: ViewModel {
    /// The same model as the counter's.
    public typealias Model = CounterViewModel.Model

    /// The same outputs and actions as the counter's.
    public static let interface = Interface<CounterStreamViewModel>(
        "counter-stream", "The counter, its rules written as streams."
    ) {
        Output("text", \.text, "The count in decimal digits.")
        Output("enabled", \.enabled, "Whether the down button can be pressed.")
        Output("alpha", \.alpha, "The opacity of the down button, 0.5 when it is disabled.")
        Action("increment", "Adds one.", CounterStreamViewModel.increment)
            .refusing(.disabled, "The count is the largest that there is.")
        Action("decrement", "Takes one away.", CounterStreamViewModel.decrement)
            .refusing(.disabled, "The count is zero.")
    }

    /// Tells whoever pressed a button what became of it.
    private typealias Tap = CheckedContinuation<Result<Void, ActionRefusal>, Never>

    /// What a press of a button adds to the count.
    private struct Step: Sendable {
        let amount: Int
        let tap: Tap
    }

    // Inputs

    /// Adds one.
    ///
    /// - Throws: ``ActionRefusal`` at the largest `Int`.
    public func increment() async throws { try await send(up) }

    /// Takes one away.
    ///
    /// - Throws: ``ActionRefusal`` at zero.
    public func decrement() async throws { try await send(down) }

    // Outputs

    /// The count in decimal digits.
    public let text: Constant<String>
    /// Whether the down button can be pressed.
    public let enabled: Constant<Bool>
    /// The opacity of the down button.
    public let alpha: Constant<Double>

    // Wiring

    /// The count, to rebuild the counter from.
    public var model: Model { Model(count: count.value) }
    private let count: Variable<Int>
    private let up: AsyncStream<Tap>.Continuation
    private let down: AsyncStream<Tap>.Continuation
    private let flow: Task<Void, Never>

    /// Begins at a count, by default zero.
    public init(model: Model = Model()) {
        let count = Variable(model.count)
        let text = Variable(String(model.count))
        let enabled = Variable(model.count > 0)
        let alpha = Variable(model.count > 0 ? 1 : 0.5)
        let up = AsyncStream.makeStream(of: Tap.self)
        let down = AsyncStream.makeStream(of: Tap.self)
        flow = Self.follow(up.stream, down.stream, from: count) { next in
            text.update(to: String(next))
            enabled.update(to: next > 0)
            alpha.update(to: next > 0 ? 1 : 0.5)
        }
        (self.count, self.up, self.down) = (count, up.continuation, down.continuation)
        (self.text, self.enabled, self.alpha) = (text.constant, enabled.constant, alpha.constant)
    }

    deinit { flow.cancel() }

    private static func follow(
        _ ups: AsyncStream<Tap>, _ downs: AsyncStream<Tap>, from count: Variable<Int>,
        show: @escaping @Sendable (Int) -> Void
    ) -> Task<Void, Never> {
        let steps = merge(ups.map { Step(amount: 1, tap: $0) }, downs.map { Step(amount: -1, tap: $0) })
        return Task {
            for await (step, latest) in steps.withLatestFrom(count) {
                let (next, isTooMuch) = latest.addingReportingOverflow(step.amount)
                guard !isTooMuch, next >= 0 else {
                    step.tap.resume(returning: .failure(refusal(of: step.amount)))
                    continue
                }
                count.value = next
                show(next)
                step.tap.resume(returning: .success(()))
            }
        }
    }

    private func send(_ button: AsyncStream<Tap>.Continuation) async throws {
        try await withCheckedContinuation { tap in
            // A stream that has ended takes nothing, and would leave the tap waiting for ever.
            if case .terminated = button.yield(tap) {
                tap.resume(returning: .failure(.disabled("The counter is gone.")))
            }
        }.get()
    }

    private static func refusal(of amount: Int) -> ActionRefusal {
        .disabled(
            amount > 0 ? "The counter cannot count any higher." : "The counter is at zero; increment it first.")
    }
}
