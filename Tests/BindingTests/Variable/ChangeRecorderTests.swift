import Foundation
import Testing

@testable import Binding

@Suite("A change recorder")
struct ChangeRecorderTests {
    let recorder = ChangeRecorder()

    @Test("notes which of the Variables it follows were set, once each and in order, before the setter returns")
    func order() {
        let count = Variable(0)
        let text = Variable("")
        recorder.follow(count)
        recorder.follow(text.constant)
        count.value = 1
        text.value = "a"
        count.value = 2
        #expect(recorder.drain() == [count.id, text.id])
    }

    @Test("says each set once")
    func drained() {
        let count = Variable(0)
        recorder.follow(count)
        count.value = 1
        #expect(recorder.drain().count == 1)
        #expect(recorder.drain().isEmpty)
        count.value = 2
        #expect(recorder.drain() == [count.id])
    }

    @Test("takes a set to an equal value for a set, and an update to one for none")
    func equalValues() {
        let count = Variable(1)
        recorder.follow(count)
        count.update(to: 1)
        #expect(recorder.drain().isEmpty)
        count.value = 1
        #expect(recorder.drain() == [count.id])
    }

    @Test("hears nothing of what was set before, nor of Variables it does not follow")
    func others() {
        let count = Variable(0)
        count.value = 1
        recorder.follow(count)
        Variable(0).value = 1
        #expect(recorder.drain().isEmpty)
    }

    @Test("is one of several that may follow, each told of every set once")
    func several() {
        let count = Variable(0)
        let others = [ChangeRecorder(), ChangeRecorder()]
        for recorder in [recorder] + others + others { recorder.follow(count) }
        count.value = 1
        for recorder in [recorder] + others { #expect(recorder.drain() == [count.id]) }
    }

    @Test("notes a set though the Variable posts and is observed as well, once")
    func besidesPosts() {
        let count = Variable(0)
        let center = NotificationCenter()
        let posts = Recorder(center)
        recorder.follow(count)
        center.attach(count)
        let observation = center.observe(count) { _ in }
        count.value = 1
        observation.cancel()
        #expect(recorder.drain() == [count.id])
        #expect(posts.changes.all == [count.id])
    }

    @Test("keeps no Variable alive and is kept by none, and those that went are not missed")
    func lifetime() {
        weak var variable: Variable<Int>?
        weak var gone: ChangeRecorder?
        do {
            let count = Variable(0)
            variable = count
            for _ in 0..<3 {
                let passing = ChangeRecorder()
                passing.follow(count)
                gone = passing
            }
            recorder.follow(count)
            #expect(gone == nil)
            count.value = 1
            #expect(recorder.drain() == [count.id])
        }
        #expect(variable == nil)
    }

    @Test("forgets the recorders that have gone, however many followed")
    func passing() {
        var followers = Followers()
        followers.add(recorder)
        for _ in 0..<100 { followers.add(ChangeRecorder()) }
        #expect(followers.count <= 2)
    }

    @Test("misses none of many threads' sets")
    func threads() {
        let variables = (0..<4).map { _ in Variable(0) }
        for variable in variables { recorder.follow(variable) }
        DispatchQueue.concurrentPerform(iterations: 4_000) { round in variables[round % 4].value = round }
        #expect(Set(recorder.drain()) == Set(variables.map(\.id)))
        #expect(recorder.drain().isEmpty)
    }
}
