import Binding
import Foundation
import Synchronization
import TestSupport
import Testing

/// Protects observers from values out of order, and setters from a wait.
@Suite("The order of deliveries")
struct OrderTests {
    let center = NotificationCenter()

    @Test("a set from inside an observer is delivered after the delivery under way")
    func setFromInside() {
        let variable = Variable(0)
        var log: [String] = []
        center.observe(variable) { value in
            log.append("begin \(value)")
            if value < 3 { variable.value = value + 1 }
            log.append("end \(value)")
        }
        #expect(log == (0...3).flatMap { ["begin \($0)", "end \($0)"] })
        #expect(variable.value == 3)
    }

    @Test("no queue delivers in the setter's thread")
    func settersThread() {
        let variable = Variable(0)
        let (setters, observers) = (History<pthread_t>(), History<pthread_t>())
        setters.append(pthread_self())
        center.observe(variable) { _ in observers.append(pthread_self()) }
        inThread {
            setters.append(pthread_self())
            variable.value = 1
        }.wait()
        #expect(observers.all == setters.all)
        #expect(Set(observers.all).count == 2)
    }

    @Test("while one thread delivers, another's set returns and is delivered by the first")
    func deliversForTheOther() {
        let variable = Variable(0)
        let seen = History<Int>()
        let (isInside, mayGoOn) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        center.observe(variable) { value in
            seen.append(value)
            guard value == 1 else { return }
            isInside.signal()
            mayGoOn.wait()
        }
        let first = inThread { variable.value = 1 }
        isInside.wait()
        variable.value = 2
        #expect(seen.all == [0, 1])
        mayGoOn.signal()
        first.wait()
        #expect(seen.all == [0, 1, 2])
    }

    @Test("a queue delivers there, in order, though it is a concurrent one", arguments: [1, 8])
    func queue(width: Int) {
        let queue = OperationQueue()
        queue.maxConcurrentOperationCount = width
        let variable = Variable(0)
        let seen = History<Int>()
        let elsewhere = History<Int>()
        center.observe(variable, on: queue) { value in
            seen.append(value)
            if OperationQueue.current !== queue { elsewhere.append(value) }
        }
        for value in 1...500 { variable.value = value }
        queue.waitUntilAllOperationsAreFinished()
        #expect(seen.all == Array(0...500))
        #expect(elsewhere.all.isEmpty)
    }

    @Test("a setter does not wait for a queue")
    func setterDoesNotWait() {
        let queue = OperationQueue()
        queue.isSuspended = true
        let variable = Variable(0)
        let seen = History<Int>()
        center.observe(variable, on: queue) { seen.append($0) }
        variable.value = 1
        variable.value = 2
        #expect(seen.all.isEmpty)
        queue.isSuspended = false
        queue.waitUntilAllOperationsAreFinished()
        #expect(seen.all == [0, 1, 2])
    }

    @Test("of two fast writers, the last value is delivered last, and each writer's values in order")
    func twoWriters() {
        for _ in 0..<300 {
            let variable = Variable(0)
            let seen = History<Int>()
            let isDelivering = Atomic(false)
            center.observe(variable) { value in
                #expect(isDelivering.exchange(true, ordering: .acquiring) == false)
                seen.append(value)
                isDelivering.store(false, ordering: .releasing)
            }
            race(
                { for value in 1...20 { variable.value = value } },
                { for value in 101...120 { variable.value = value } })
            let all = seen.all
            #expect(all.last == variable.value)
            #expect(all.first == 0)
            #expect(all.filter { 1...20 ~= $0 } == Array(1...20))
            #expect(all.filter { 101...120 ~= $0 } == Array(101...120))
            #expect(all.count == 41)
        }
    }

    @Test("a change between the current value and the observing is not lost")
    func changeWhileObserving() {
        for _ in 0..<500 {
            let variable = Variable(0)
            let seen = History<Int>()
            race(
                { for value in 1...5 { variable.value = value } },
                { center.observe(variable) { seen.append($0) } })
            let all = seen.all
            #expect(all == Array((all.first ?? -1)...5))
        }
    }
}
