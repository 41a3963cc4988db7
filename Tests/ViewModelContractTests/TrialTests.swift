import Foundation
import TestSupport
import Testing
import ViewModels

@testable import ViewModelContract

@Suite("The contract suite, where a view model does not return,", .timeLimit(.minutes(5)))
struct TrialTests {
    private static let sentences: [(place: Stuck.Place, sentence: String)] = [
        (
            .making,
            "stuck: It was not made in 3 seconds: an initializer takes over what it is given, and leaves services to actions "
                + "and changes. After: run."
        ),
        (.showing, "stuck: Its outputs and its model were not encoded in 3 seconds. After: run."),
        (
            .action,
            "stuck: run did not return in 3 seconds: give the view model a stand-in for what it waits for, or the check a "
                + "longer stepTime. After: run."
        ),
        (
            .asynchronous,
            "stuck: wait did not return in 3 seconds: give the view model a stand-in for what it waits for, or the check a "
                + "longer stepTime. After: run, wait."
        ),
    ]

    private static func violations(
        stuckIn place: Stuck.Place, beside others: [Declaration] = [], at barrier: Barrier
    ) async -> [Violation] {
        let stuck = Declaration.hosting { Stuck(model: $0, context: $1, stuckIn: place, at: barrier) }
        return await ([stuck] + others).violations(stepTime: .seconds(3))
    }

    @Test("gives it up after a time, and says in a sentence what did not return", arguments: sentences)
    func gives(up case: (place: Stuck.Place, sentence: String)) async {
        let barrier = Barrier()
        defer { barrier.open() }
        let violations = await Self.violations(stuckIn: `case`.place, at: barrier)
        #expect(violations.map(\.description) == [`case`.sentence])
        #expect(violations.map(\.rule) == [.returning])
    }

    @Test("says of an action that waits for a change of its own what it is that does not come")
    func knotted() async {
        let violations = await Declaration.hosting(Knotted.init(model:context:)).violations(stepTime: .seconds(3))
        #expect(
            violations.map(\.description) == [
                "knotted: run did not return in 3 seconds, while a change from inside waited for the turn that run itself "
                    + "has: an action changes its view model by itself and awaits no context.changes, which is for tasks. If "
                    + "it waits for something else, give the view model a stand-in for that. After: run."
            ])
    }

    @Test("gives up a change from inside, too")
    func change() async {
        let barrier = Barrier()
        defer { barrier.open() }
        let sentence = "stuck: A change from inside did not return in 3 seconds."
        // It comes when its task does, perhaps when the walk is over: then another walk meets it.
        let isFound = await eventually {
            await Self.violations(stuckIn: .change, at: barrier).contains {
                $0.rule == .returning && $0.description.hasPrefix(sentence)
            }
        }
        #expect(isFound)
    }

    @Test("goes on with the others of the list, and keeps what it had found")
    func others() async {
        let barrier = Barrier()
        defer { barrier.open() }
        let violations = await Self.violations(
            stuckIn: .action, beside: [.hosting(Greedy.init(model:))], at: barrier)
        #expect(violations.map(\.rule) == [.returning, .refusal])
        #expect(violations.map(\.viewModel?.rawValue) == ["stuck", "greedy"])
    }

    @Test("gives up an older model whose reading does not return")
    func older() async {
        let barrier = Barrier()
        defer { barrier.open() }
        let stuck = Declaration.hosting { Stuck(model: $0, context: $1, stuckIn: .making, at: barrier) }
        let violations = await stuck.violations(olderModels: [#"{"count":1}"#], steps: 0, stepTime: .seconds(3))
        #expect(violations.map(\.rule) == [.returning])
    }

    @Test("hears nothing of one that goes on after it was given up")
    func late() async {
        let (barrier, late) = (Barrier(), History<Bool>())
        let trial = await Trial.run(of: Stuck.interface.name, limit: .milliseconds(200)) { trial in
            trial.note(.shape, "Before.")
            trial.begin(.making)
            barrier.pass()
            trial.note(.shape, "After.")
            late.note(Task.isCancelled)
        }
        #expect(trial.violations.map(\.complaint).first == "Before.")
        #expect(trial.violations.map(\.rule) == [.shape, .returning])
        #expect(!trial.isComplete)
        barrier.open()
        // It is told that nobody waits any more.
        #expect(await eventually { late.elements == [true] })
    }

    @Test("gives each thing that is asked of a view model the whole time")
    func renewed() async {
        let trial = await Trial.run(of: Stuck.interface.name, limit: .seconds(2)) { trial in
            for _ in 0..<25 {
                trial.begin(.making)
                // The time that it takes, not one that is waited for: a trial goes by the machine's own clock.
                usleep(100_000)
            }
        }
        #expect(trial.violations == [])
        #expect(trial.isComplete)
    }
}
