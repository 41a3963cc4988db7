import Binding
import Foundation
import Testing

@Suite("Attaching to a center")
struct AttachTests {
    let center = NotificationCenter()

    @Test("each set of an attached Variable posts once, though nobody binds to it, before the setter returns")
    func postsOnce() {
        let recorder = Recorder(center)
        let count = Variable(0)
        let text = Variable("")
        center.attach(count)
        center.attach(count)
        center.attach(text.constant)
        count.value = 1
        text.value = "a"
        count.value = 2
        #expect(recorder.changes.all == [count.id, text.id, count.id])
    }

    @Test("a Variable that was not attached posts nothing")
    func unattached() {
        let recorder = Recorder(center)
        Variable(0).value = 1
        #expect(recorder.changes.all.isEmpty)
    }

    @Test("the notification's object is the Variable, and it is set by then")
    func object() {
        let variable = Variable(0)
        let seen = History<Int>()
        center.attach(variable)
        let token = center.addObserver(forName: .variableDidChange, object: variable, queue: nil) { notification in
            if let variable = notification.object as? Variable<Int> { seen.append(variable.value) }
        }
        variable.value = 1
        center.removeObserver(token)
        variable.value = 2
        #expect(seen.all == [1])
    }

    @Test("detaching ends the posts, except those for observations through the center")
    func detach() {
        let recorder = Recorder(center)
        let variable = Variable(0)
        center.attach(variable)
        let observation = center.observe(variable) { _ in }
        variable.value = 1
        center.detach(variable)
        variable.value = 2
        observation.cancel()
        variable.value = 3
        #expect(recorder.changes.all.count == 2)
    }

    @Test("cancelling the last observation through a center leaves an attached Variable posting, once a set")
    func cancelLeavesAttached() {
        let recorder = Recorder(center)
        let variable = Variable(0)
        center.attach(variable)
        let observations = (0..<3).map { _ in center.observe(variable) { _ in } }
        variable.value = 1
        for observation in observations { observation.cancel() }
        variable.value = 2
        #expect(recorder.changes.all.count == 2)
    }

    @Test("a Variable posts on every center it is attached to or observed through")
    func manyCenters() {
        let centers = (0..<4).map { _ in NotificationCenter() }
        let recorders = centers.map { Recorder($0) }
        let variable = Variable(0)
        var seen: [[Int]] = Array(repeating: [], count: 4)
        for index in 0..<2 { centers[index].attach(variable) }
        for index in 1..<4 { centers[index].observe(variable) { seen[index].append($0) } }
        variable.value = 1
        centers[0].detach(variable)
        variable.value = 2
        #expect(seen == [[], [0, 1, 2], [0, 1, 2], [0, 1, 2]])
        #expect(recorders.map(\.changes.all.count) == [1, 2, 2, 2])
    }

    @Test("attaching keeps neither center nor Variable alive")
    func keepsNothing() {
        weak var weakCenter: NotificationCenter?
        weak var weakVariable: Variable<Int>?
        let kept = Variable(0)
        do {
            let center = NotificationCenter()
            let variable = Variable(0)
            (weakCenter, weakVariable) = (center, variable)
            for center in [center, NotificationCenter(), NotificationCenter()] {
                center.attach(kept)
                center.attach(variable)
            }
        }
        #expect(weakCenter == nil)
        #expect(weakVariable == nil)
        kept.value = 1
        let recorder = Recorder(center)
        center.attach(kept)
        kept.value = 2
        #expect(recorder.changes.all == [kept.id])
    }

    @Test("a recorder may set a Variable, also the one it was told of")
    func recorderSets() {
        let variable = Variable(0)
        center.attach(variable)
        var seen: [Int] = []
        center.observe(variable) { seen.append($0) }
        let token = center.addObserver(forName: .variableDidChange, object: nil, queue: nil) { _ in
            if variable.value < 3 { variable.value += 1 }
        }
        variable.value = 1
        center.removeObserver(token)
        #expect(seen == [0, 1, 2, 3])
    }
}
