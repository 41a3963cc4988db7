import BinderyKit

/// Runs, stands, counts laps; its text goes on by the clock, without any action.
final class LapTimer: ViewModel {
    /// What it takes to show the right time again, whenever that is.
    struct Model: StoredModel {
        /// When it was started, in milliseconds since 1970; nil while it stands.
        var startedAt: Int?
        /// How many milliseconds it had run before that.
        var elapsed = 0
        /// How many milliseconds it had run at the end of each lap.
        var laps: [Int] = []
    }

    /// A lap as it is shown.
    struct Lap: Codable, Sendable {
        var number: Int
        var text: String
    }

    static let mostLaps = 99

    static let interface = Interface<LapTimer>("stopwatch", "A stopwatch that counts laps.") {
        Output("running", \.$running, "Whether it runs.")
        Output("text", \.$text, "The time it has run, mm:ss.t.")
        Output("laps", \.$laps, "The laps, the first one first.")
        Output("bestLap", \.$bestLap, "The time of the shortest lap; null before the first.")
        Action("start", "Lets it run, on from where it stood.", LapTimer.start)
            .refusing(.disabled, "It runs already.")
        Action("stop", "Lets it stand.", LapTimer.stop)
            .refusing(.disabled, "It stands already.")
        Action("lap", "Ends a lap and begins the next.", LapTimer.lap)
            .refusing(.disabled, "It stands, or has as many laps as it counts.")
        Action("reset", "Back to zero.", LapTimer.reset)
            .refusing(.disabled, "It runs, or is at zero already.")
        Facet("display", "For the big display, which shows no laps.", showing: "running", "text")
    }

    // Inputs

    func start() throws {
        guard !running else { throw ActionRefusal.disabled("It runs already.") }
        model.startedAt = clock.now
        show()
        tick()
    }

    func stop() throws {
        guard running else { throw ActionRefusal.disabled("It stands already; start it first.") }
        model.elapsed = elapsed
        model.startedAt = nil
        ticking?.cancel()
        show()
    }

    func lap() throws {
        guard running else { throw ActionRefusal.disabled("It stands; start it first.") }
        guard model.laps.count < Self.mostLaps else {
            throw ActionRefusal.disabled("\(Self.mostLaps) laps is as many as it counts; stop and reset it first.")
        }
        model.laps.append(elapsed)
        show()
    }

    func reset() throws {
        guard !running else { throw ActionRefusal.disabled("It runs; stop it first.") }
        guard model.elapsed > 0 else { throw ActionRefusal.disabled("It is at zero already.") }
        model = Model()
        show()
    }

    // Outputs

    @Posted private(set) var running = false
    @Posted private(set) var text = ""
    @Posted private(set) var laps: [Lap] = []
    @Posted private(set) var bestLap: String?

    // Wiring

    private(set) var model: Model
    private let context: ViewModelContext
    private let clock: any WallClock
    private var ticking: Task<Void, any Error>?

    init(model: Model, context: ViewModelContext, clock: any WallClock = SystemWallClock()) {
        self.model = model
        self.context = context
        self.clock = clock
        show()
        tick()
    }

    deinit { ticking?.cancel() }

    private var elapsed: Int {
        model.elapsed + (model.startedAt.map { max(0, clock.now - $0) } ?? 0)
    }

    private func show() {
        let times = zip(model.laps, [0] + model.laps).map { $0 - $1 }
        running = model.startedAt != nil
        text = Self.text(elapsed)
        laps = times.enumerated().map { Lap(number: $0 + 1, text: Self.text($1)) }
        bestLap = times.min().map { Self.text($0) }
    }

    /// Shows each tenth of a second when it comes, for as long as it runs.
    private func tick() {
        guard let startedAt = model.startedAt else { return }
        let zero = startedAt - model.elapsed
        // Not self: the task must not keep a lap timer alive that nobody uses any more.
        ticking = Task { [clock, changes = context.changes(of: self)] in
            while true {
                let tenths = (clock.now - zero) / 100
                try await clock.sleep(until: zero + (tenths + 1) * 100)
                try await changes { $0.show() }
            }
        }
    }
}
