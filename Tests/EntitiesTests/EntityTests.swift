import Foundation
import TestSupport
import Testing

@testable import Entities

/// Protects the order of commits, observers and answers with threads.
@Suite("An entity", .timeLimit(.minutes(1)))
struct EntityTests {
    @Test("posts each changed output with its value and seq, and the posts of actions, before it answers")
    func outputs() {
        let bench = EntityBench()
        let names = ["counter.text", "counter.odd", "other.text", "rang"]
        let observers = names.map { name in
            bench.entity.center.addObserver(forName: Notification.Name(name), object: nil, queue: nil) { note in
                let value = (note.userInfo?["value"] as? [UInt8]).map { String(decoding: $0, as: UTF8.self) }
                bench.answers.append(
                    "\(name) \(value ?? "\(note.userInfo?["by"] ?? "")") \(note.userInfo?["seq"] ?? "")")
            }
        }
        bench.act(.inline(Counters.Action(posts: [("rang", ["by": "me"])]) { $0 += 2 }))
        #expect(bench.answers.all == ["counter.text \"en 2\" 1", "rang me ", "act: done \"en 2\""])
        for observer in observers { bench.entity.center.removeObserver(observer) }
    }

    @Test("takes an ask from an observer, and answers it after the present one")
    func reentrant() {
        let bench = EntityBench()
        let center = bench.entity.center
        let observer = center.addObserver(forName: Entity.didChange, object: nil, queue: nil) { _ in
            if bench.entity.published.state.head.seq == 1 { bench.act(.inline(.increment), as: "observer") }
        }
        bench.act(.inline(.increment))
        #expect(bench.answers.all == ["act: done \"en 1\"", "observer: done \"en 2\""])
        center.removeObserver(observer)
    }

    @Test("answers each of many actions from many threads, in order of seq to its observers")
    func threads() async {
        let bench = EntityBench()
        let seqs = History<UInt64>()
        let center = bench.entity.center
        let observer = center.addObserver(forName: Notification.Name("counter.text"), object: nil, queue: nil) { note in
            seqs.append(note.userInfo?["seq"] as? UInt64 ?? 0)
        }
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<4 {
                group.addTask {
                    for _ in 0..<200 { _ = await bench.entity.outcome(of: .inline(.increment)) }
                }
            }
        }
        #expect(bench.entity.published.state.text() == "\"en 800\"")
        #expect(seqs.all == Array(1...800))
        center.removeObserver(observer)
    }

    @Test("runs async and blocking actions on the executor, one after the other")
    func slow() async {
        let bench = EntityBench()
        async let first = bench.entity.outcome(of: .slow(.increment))
        async let second = bench.entity.outcome(of: .slow(.increment))
        async let third = bench.entity.outcome(of: .inline(.increment))
        let words = await Set([first.words, second.words, third.words])
        #expect(words == ["done \"en 1\"", "done \"en 2\"", "done \"en 3\""])
    }

    @Test("ends an async action at its deadline, and cancels its task")
    func deadline() async {
        let started = AsyncStream.makeStream(of: Void.self)
        let cancelled = AsyncStream.makeStream(of: Void.self)
        let forever = AsyncStream.makeStream(of: Void.self)
        let bench = EntityBench(
            host: Counters(pause: {
                started.continuation.yield()
                await withTaskCancellationHandler {
                    for await _ in forever.stream {}
                } onCancel: {
                    cancelled.continuation.yield()
                }
            }))
        async let outcome = bench.entity.outcome(of: .slow(.increment))
        for await _ in started.stream { break }
        bench.time.advance(by: .seconds(10))
        #expect(await outcome.words == "timed out")
        for await _ in cancelled.stream { break }
        #expect(bench.entity.published.state.text() == "\"en 0\"")
    }

    @Test("runs a quick action on the executor if its thread is no event loop, with a deadline")
    func elsewhere() async {
        let bench = EntityBench(isOnEventLoop: false)
        let (started, release) = (AsyncStream.makeStream(of: Void.self), DispatchSemaphore(value: 0))
        async let hung = bench.entity.outcome(
            of: .inline(
                Counters.Action {
                    started.continuation.yield()
                    release.wait()
                    $0 += 1
                }))
        for await _ in started.stream { break }
        bench.time.advance(by: .seconds(10))
        #expect(await hung.words == "timed out")
        #expect(await bench.entity.outcome(of: .inline(.increment)).words == "done \"en 1\"")
        release.signal()
        #expect(await bench.entity.outcome(of: .inline(.increment)).words == "done \"en 2\"")
    }

    @Test("loses no action of two processes that write at once")
    func twoProcesses() async {
        let bench = EntityBench(isShared: true)
        let other = EntityBench(isShared: true, store: bench.store)
        let done = await withTaskGroup(of: Int.self) { group in
            for entity in [bench.entity, other.entity] {
                group.addTask {
                    var done = 0
                    for _ in 0..<200 {
                        if case .done = await entity.outcome(of: .inline(.increment)) { done += 1 }
                    }
                    return done
                }
            }
            return await group.reduce(0, +)
        }
        let last = await bench.entity.outcome(of: .inline(.increment))
        #expect(last.words == "done \"en \(done + 1)\"")
    }
}
