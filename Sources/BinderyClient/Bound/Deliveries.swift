import Binding
import Locking
import ViewModels

/// Sets the variables of bound view models by what comes, one arrival after the other, in the thread that brings it.
///
/// The order is decided under the lock, and the variables are set after unlocking: whoever comes while another thread delivers
/// leaves his to it.
final class Deliveries: Sendable {
    /// What came.
    enum Arrival: Sendable {
        case update(RemoteUpdate)
        case answer([String: RawJSON], of: String, at: RemoteCursor)
        case connection(RemoteConnection)
    }

    private struct Weak: Sendable { weak var outputs: BoundOutputs? }

    private struct State: Sendable {
        var shown = ShownOutputs()
        var bound: [Weak] = []
        var arrivals: [(arrival: Arrival, waiting: CheckedContinuation<Void, Never>?)] = []
        var isDelivering = false
        var isClosed = false
        /// Who waits until nothing is delivered any more.
        var closing: [CheckedContinuation<Void, Never>] = []
    }

    /// One arrival's work.
    private struct Step {
        var connection: RemoteConnection?
        var texts: [(variable: any ShownVariable, name: String, text: RawJSON?)] = []
        var waiting: CheckedContinuation<Void, Never>?
        /// Looked at under the lock, and released after it.
        var held: [BoundOutputs] = []
    }

    let connection: Variable<RemoteConnection>
    private let state = Lock(State())

    init(_ connection: RemoteConnection) { self.connection = Variable(connection) }

    /// Takes what came, and returns when it is set, or another thread is about to.
    func take(_ arrival: Arrival) { take(arrival, nil) }

    /// Takes what came, and returns when it is set; at once after the end.
    func takeAndWait(_ arrival: Arrival) async {
        await withCheckedContinuation { take(arrival, $0) }
    }

    private func take(_ arrival: Arrival, _ waiting: CheckedContinuation<Void, Never>?) {
        let isMine: Bool? = state.withLock { state in
            guard !state.isClosed else { return nil }
            state.arrivals.append((arrival, waiting))
            defer { state.isDelivering = true }
            return !state.isDelivering
        }
        guard let isMine else {
            waiting?.resume()
            return
        }
        if isMine { deliver() }
    }

    private func deliver() {
        while true {
            let (step, closing): (Step?, [CheckedContinuation<Void, Never>]) = state.withLock { state in
                guard !state.arrivals.isEmpty else {
                    state.isDelivering = false
                    defer { state.closing = [] }
                    return (nil, state.closing)
                }
                let (arrival, waiting) = state.arrivals.removeFirst()
                return (Self.step(arrival, waiting, &state), [])
            }
            for closing in closing { closing.resume() }
            guard let step else { return }
            carryOut(step)
            step.waiting?.resume()
        }
    }

    private static func step(
        _ arrival: Arrival, _ waiting: CheckedContinuation<Void, Never>?, _ state: inout State
    ) -> Step {
        var step = Step(waiting: waiting)
        let places: [ShownOutputs.Place]
        var isWhole = false
        switch arrival {
        case .connection(let connection):
            step.connection = connection
            if case .waiting = connection { state.shown.lose() }
            return step
        case .update(let update):
            if case .snapshot = update.kind { isWhole = true }
            places = state.shown.take(update)
        case .answer(let outputs, let name, let cursor): places = state.shown.take(outputs, of: name, at: cursor)
        }
        step.held = state.bound.compactMap(\.outputs)
        if step.held.count < state.bound.count { state.bound.removeAll { $0.outputs == nil } }
        for outputs in step.held {
            for place in places where place.viewModel == outputs.viewModel {
                guard let variable = outputs.variables[place.output] else { continue }
                step.texts.append((variable, "\(place.viewModel).\(place.output)", state.shown[place]))
            }
            guard isWhole else { continue }
            for (name, variable) in outputs.variables {
                let place = ShownOutputs.Place(viewModel: outputs.viewModel, output: name)
                if state.shown[place] == nil { step.texts.append((variable, "\(outputs.viewModel).\(name)", nil)) }
            }
        }
        return step
    }

    private func carryOut(_ step: Step) {
        if let connection = step.connection { self.connection.value = connection }
        do {
            // All or nothing: what belongs together is not shown in part.
            let sets = try step.texts.map { try Self.set($0.variable, $0.name, to: $0.text) }
            for set in sets { set() }
        } catch {
            guard !state.withLock({ $0.isClosed }) else { return }
            connection.value = .ended(error)
            close()
        }
    }

    private static func set(
        _ variable: any ShownVariable, _ name: String, to text: RawJSON?
    ) throws -> @Sendable () -> Void {
        guard let text else {
            throw RemoteFailure(.notUnderstood, "\(name) is not shown any more: the server has another build.")
        }
        do { return try variable.reading(text.text) } catch {
            throw RemoteFailure(
                .notUnderstood, "\(name) was shown as what it is not declared as: does the server have another build?",
                cause: error)
        }
    }

    /// Makes variables of what is shown, and sets them from then on.
    ///
    /// - Parameter make: is called outside of the lock, and again where something came meanwhile.
    func bind(_ make: (ShownOutputs) throws -> BoundOutputs) throws -> BoundOutputs {
        while true {
            let shown = state.withLock { $0.shown }
            let outputs = try make(shown)
            let isCurrent = state.withLock { state in
                guard state.shown.version == shown.version else { return false }
                state.bound.append(Weak(outputs: outputs))
                return true
            }
            if isCurrent { return outputs }
        }
    }

    /// Sets nothing any more but what is being set.
    func close() {
        let dropped = state.withLock { state in
            state.isClosed = true
            defer { state.arrivals = [] }
            return state.arrivals
        }
        for arrival in dropped { arrival.waiting?.resume() }
    }

    /// The same, and returns when nothing is set any more.
    func closed() async {
        close()
        await withCheckedContinuation { continuation in
            let isDelivering = state.withLock { state in
                if state.isDelivering { state.closing.append(continuation) }
                return state.isDelivering
            }
            if !isDelivering { continuation.resume() }
        }
    }
}

/// The variables of one bound view model, by the names of its outputs.
final class BoundOutputs: Sendable {
    let viewModel: String
    let variables: [String: any ShownVariable]

    init(_ viewModel: String, _ variables: [String: any ShownVariable]) {
        (self.viewModel, self.variables) = (viewModel, variables)
    }
}
