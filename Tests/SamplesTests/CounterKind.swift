import Binding
import Samples
import ViewModels

/// What the counters have in common: the rules suite knows no more of them.
protocol Counting: ViewModel where Model == CounterViewModel.Model {
    var text: Constant<String> { get }
    var enabled: Constant<Bool> { get }
    var alpha: Constant<Double> { get }
    func increment() async throws
    func decrement() async throws
}

extension CounterViewModel: Counting {}
extension CounterStreamViewModel: Counting {}

/// The two ways in which the counter's rules are written.
enum CounterKind: String, CaseIterable, Sendable {
    case variables, streams

    func counter(at count: Int = 0) -> any Counting {
        switch self {
        case .variables: CounterViewModel(model: .init(count: count))
        case .streams: CounterStreamViewModel(model: .init(count: count))
        }
    }
}
