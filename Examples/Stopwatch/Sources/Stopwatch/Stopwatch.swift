import BinderyKit

/// Serves the lap timer.
@main
struct Stopwatch: BinderyProgram {
    static let viewModels: [Declaration] = [.hosting { LapTimer(model: $0, context: $1) }]
}
