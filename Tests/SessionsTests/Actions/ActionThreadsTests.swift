import Foundation
import TestSupport
import Testing

@testable import Sessions

@Suite("The threads of actions")
struct ActionThreadsTests {
    @Test("are as many as there is work that blocks, up to the limit, and beyond it work is refused and not done")
    func limit() async throws {
        let threads = ActionThreads(atMost: 20)
        let barrier = Barrier()
        defer { barrier.open() }
        for _ in 0..<20 { #expect(threads.run { barrier.pass() }) }
        try await barrier.arrivals(20)
        #expect(!threads.run { Issue.record("It was done.") })
        barrier.open()
        #expect(await eventually { threads.run { barrier.pass() } })
        try await barrier.arrivals()
    }

    @Test("are used again, and let go of what they did")
    func reused() async throws {
        final class Burden: Sendable {}
        let threads = ActionThreads(atMost: 1)
        let seen = History<String?>()
        weak var burden: Burden?
        for _ in 0..<10 {
            let carried = Burden()
            burden = carried
            let isTaken = await eventually {
                threads.run { withExtendedLifetime(carried) { seen.note(Thread.current.name) } }
            }
            #expect(isTaken)
        }
        #expect(await eventually { seen.elements.count == 10 && burden == nil })
        #expect(Set(seen.elements) == ["bindery-action"])
    }

    @Test("run the jobs of tasks, which wait where all are held, so that those who block hold up none of Swift's pool")
    func jobs() async throws {
        // As many as would hold the pool's threads, and more tasks than there are threads.
        let limit = ProcessInfo.processInfo.activeProcessorCount + 2
        let threads = ActionThreads(atMost: limit)
        let barrier = Barrier()
        defer { barrier.open() }
        let seen = History<String?>()
        let tasks = (0..<limit + 3).map { _ in
            Task(executorPreference: threads.executor) {
                barrier.pass()
                seen.note(threadName())
                await Task.yield()
                seen.note(threadName())
            }
        }
        try await barrier.arrivals(limit)
        // Else this would wait for the barrier.
        await Task {}.value
        #expect(!threads.run { Issue.record("It was done.") })
        barrier.open()
        for task in tasks { await task.value }
        #expect(seen.elements.count == 2 * tasks.count)
        #expect(Set(seen.elements) == ["bindery-action"])
        #expect(await eventually { threads.run {} })
    }

    @Test("do what is asked for while they end an action after it, by the same thread and one after the other")
    func afterwards() async throws {
        let threads = ActionThreads(atMost: 1)
        let seen = History<Int>()
        @Sendable func work(_ number: Int) {
            // Not one within the other: a line of them must not need a stack as long. The first goes on for all.
            #expect(seen.elements.count == max(0, number - 2))
            threads.afterwards {
                if number < 500 { #expect(threads.run { work(number + 1) }) }
            }
            seen.note(number)
        }
        #expect(threads.run { work(1) })
        #expect(await eventually { seen.elements.count == 500 })
        #expect(await eventually { threads.run {} })
    }

    @Test("do what others ask for while they end an action after it, as much as they are themselves, and no more")
    func promised() async throws {
        let threads = ActionThreads(atMost: 1)
        let (ending, done) = (Barrier(), History<Int>())
        defer { ending.open() }
        #expect(threads.run { threads.afterwards { ending.pass() } })
        try await ending.arrivals(1)
        #expect(threads.run { done.note(1) })
        #expect(!threads.run { done.note(2) })
        ending.open()
        #expect(await eventually { threads.run { done.note(3) } })
        #expect(await eventually { done.elements == [1, 3] })
    }

    @Test("are others for making view models, of which some wait where none is free, up to a limit")
    func makings() async throws {
        let threads = ActionThreads(atMost: 2)
        let (barrier, done) = (Barrier(), History<Int>())
        defer { barrier.open() }
        #expect(threads.runMaking { barrier.pass() })
        try await barrier.arrivals(1)
        for number in 1...10_000 { #expect(threads.runMaking { done.note(number) }) }
        #expect(!threads.runMaking { Issue.record("It was done.") })
        #expect(threads.run {} && threads.runChange {})
        #expect(done.elements.isEmpty)
        barrier.open()
        #expect(await eventually { done.elements == Array(1...10_000) })
    }

    @Test("come to a job that is left at the moment at which the last of them falls asleep")
    func neverLost() async throws {
        let threads = ActionThreads(atMost: 1)
        // A job that finds the thread at its end is left to it, or wakes it.
        for _ in 0..<20_000 {
            let isTaken = threads.run {}
            await Task(executorPreference: threads.executor) {}.value
            if !isTaken { await Task.yield() }
        }
    }

    @Test("end with their owner, once their work is done")
    func end() async throws {
        let barrier = Barrier()
        final class Burden: Sendable {}
        weak var burden: Burden?
        do {
            let threads = ActionThreads(atMost: 2)
            let carried = Burden()
            burden = carried
            #expect(threads.run { withExtendedLifetime(carried) { barrier.pass() } })
            try await barrier.arrivals()
        }
        barrier.open()
        #expect(await eventually { burden == nil })
    }
}

/// Not in an asynchronous context, where Foundation does not let it be asked.
func threadName() -> String? { Thread.current.name }

extension ActionThreads {
    /// Runs tasks as those of `async` actions run.
    fileprivate var executor: NamingExecutor? {
        runJob.map { NamingExecutor(CrashNames(of: .public), nil, nil, on: $0) }
    }
}
