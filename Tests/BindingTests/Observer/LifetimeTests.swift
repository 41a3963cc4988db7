import Binding
import Foundation
import TestSupport
import Testing

/// Protects programs from leaks and from observers that outlive their target.
@Suite("What ends an observation")
struct LifetimeTests {
    let center = NotificationCenter()

    @Test("cancel ends it, also twice")
    func cancel() {
        let variable = Variable(0)
        var seen: [Int] = []
        let observation = center.observe(variable) { seen.append($0) }
        #expect(!observation.isCancelled)
        observation.cancel()
        observation.cancel()
        variable.value = 1
        #expect(observation.isCancelled)
        #expect(seen == [0])
    }

    @Test("its Bag going away ends it")
    func bag() {
        let variable = Variable(0)
        let label = Label()
        var bag = Bag()
        let observation = center.observe(variable, bindTo: label, \.count)
        observation.disposed(by: bag)
        variable.value = 1
        bag = Bag()
        variable.value = 2
        #expect(label.count == 1)
        #expect(observation.isCancelled)
        center.observe(variable, bindTo: label, \.count).disposed(by: bag)
        #expect(label.count == 2)
        bag.cancel()
        variable.value = 3
        #expect(label.count == 2)
    }

    @Test("its target going away ends it; the target is not kept")
    func target() {
        let variable = Variable(0)
        weak var weakLabel: Label?
        let observation: Observer
        do {
            let label = Label()
            weakLabel = label
            observation = center.observe(variable, bindTo: label, \.count)
        }
        #expect(weakLabel == nil)
        variable.value = 1
        #expect(observation.isCancelled)
    }

    @Test("its source going away ends it; the source is not kept")
    func source() {
        let label = Label()
        weak var weakVariable: Variable<Int>?
        let observation: Observer
        do {
            let variable = Variable(7)
            weakVariable = variable
            observation = center.observe(variable, bindTo: label, \.count)
        }
        #expect(weakVariable == nil)
        #expect(observation.isCancelled)
        #expect(label.count == 7)
    }

    @Test("a change that waits on a queue is dropped when the source goes away")
    func sourceWithQueue() {
        let queue = OperationQueue()
        queue.isSuspended = true
        let seen = History<Int>()
        do {
            let variable = Variable(0)
            center.observe(variable, on: queue) { seen.append($0) }
        }
        queue.isSuspended = false
        queue.waitUntilAllOperationsAreFinished()
        #expect(seen.all.isEmpty)
    }

    @Test("what the closure captured is released by the time cancel returns, though handle and source live on")
    func captured() {
        let variable = Variable(0)
        weak var weakWitness: Witness?
        let observation: Observer
        do {
            let witness = Witness()
            weakWitness = witness
            observation = center.observe(variable) { _ in withExtendedLifetime(witness) {} }
        }
        variable.value = 1
        #expect(weakWitness != nil)
        observation.cancel()
        #expect(weakWitness == nil)
    }

    @Test("a session of center, Variables, bindings and a recorder goes away whole")
    func noCycle() {
        weak var weakCenter: NotificationCenter?
        weak var weakLabel: Label?
        do {
            let session = Session()
            (weakCenter, weakLabel) = (session.center, session.label)
            session.count.value = 1
            #expect(session.label.count == 1)
        }
        #expect(weakCenter == nil)
        #expect(weakLabel == nil)
    }
}

private final class Session {
    let center = NotificationCenter()
    let count = Variable(0)
    let label = Label()
    private let bag = Bag()

    init() {
        _ = Recorder(center)
        center.observe(count, bindTo: label, \.count).disposed(by: bag)
    }
}
