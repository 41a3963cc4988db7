import Binding
import Foundation
import Locking
import Synchronization
import TestSupport
import Testing

/// Protects that nothing is delivered after a cancel, and that no cancel hangs.
@Suite("Cancel against delivery")
struct CancelTests {
    let center = NotificationCenter()

    @Test("after cancel returns nothing is delivered, whatever the setters do", arguments: [false, true])
    func nothingAfterCancel(onQueue: Bool) {
        let queue = onQueue ? OperationQueue() : nil
        for _ in 0..<300 {
            let variable = Variable(0)
            let isCancelled = Atomic(false)
            let late = History<Int>()
            let observation = center.observe(variable, on: queue) { value in
                if isCancelled.load(ordering: .acquiring) { late.append(value) }
            }
            race(
                { for value in 1...20 { variable.value = value } },
                { for value in 1...20 { variable.value = value } },
                {
                    observation.cancel()
                    isCancelled.store(true, ordering: .releasing)
                })
            queue?.waitUntilAllOperationsAreFinished()
            #expect(late.all.isEmpty)
        }
    }

    @Test("cancel waits for a delivery in flight in another thread")
    func waitsForFlight() {
        let variable = Variable(0)
        let log = History<String>()
        let (isInside, mayGoOn) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let observation = center.observe(variable) { value in
            guard value == 1 else { return }
            isInside.signal()
            mayGoOn.wait()
            log.append("delivered")
        }
        let setter = inThread { variable.value = 1 }
        isInside.wait()
        let canceller = inThread {
            observation.cancel()
            log.append("cancelled")
        }
        // The observation is cancelled at once, before the wait: from then on it is only the wait that we see.
        while !observation.isCancelled { sched_yield() }
        variable.value = 2
        mayGoOn.signal()
        canceller.wait()
        setter.wait()
        #expect(log.all == ["delivered", "cancelled"])
    }

    @Test("an observer may cancel itself, and then gets nothing more")
    func cancelsItself() {
        let variable = Variable(0)
        var seen: [Int] = []
        var observation: Observer?
        observation = center.observe(variable) { value in
            seen.append(value)
            guard value == 1 else { return }
            variable.value = 2
            observation?.cancel()
        }
        variable.value = 1
        variable.value = 3
        #expect(seen == [0, 1])
    }

    @Test("an observer may drop the Bag that holds it")
    func dropsItsBag() {
        let variable = Variable(0)
        var seen: [Int] = []
        var bag: Bag? = Bag()
        if let bag { center.observe(variable) { seen.append($0) }.disposed(by: bag) }
        if let kept = bag {
            center.observe(variable) { if $0 == 1 { bag = nil } }.disposed(by: kept)
        }
        variable.value = 1
        variable.value = 2
        #expect(seen == [0, 1])
        #expect(bag == nil)
    }

    @Test("two deliveries that cancel one another across threads do not wait for each other")
    func cancelOneAnother() {
        for _ in 0..<200 {
            let variables = [Variable(0), Variable(0)]
            let observations = Lock<[Observer]>([])
            let inside = [DispatchSemaphore(value: 0), DispatchSemaphore(value: 0)]
            let delivered = History<Int>()
            for index in 0...1 {
                let observation = center.observe(variables[index]) { value in
                    guard value == 1 else { return }
                    inside[index].signal()
                    inside[1 - index].wait()
                    observations.withLock { $0[1 - index] }.cancel()
                    delivered.append(index)
                }
                observations.withLock { $0.append(observation) }
            }
            race({ variables[0].value = 1 }, { variables[1].value = 1 })
            #expect(delivered.all.sorted() == [0, 1])
            #expect(observations.withLock { $0.filter { !$0.isCancelled }.isEmpty })
        }
    }
}
