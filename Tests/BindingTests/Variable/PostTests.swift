import Binding
import Foundation
import TestSupport
import Testing

/// Protects observers of a center from missing and extra notifications.
@Suite("What a set posts")
struct PostTests {
    let center = NotificationCenter()

    @Test("a set posts once on each center that the Variable is observed through")
    func manyCenters() {
        let centers = (0..<3).map { _ in NotificationCenter() }
        let recorders = centers.map { Recorder($0) }
        let variable = Variable(0)
        for center in centers.dropFirst() {
            center.observe(variable) { _ in }
            center.observe(variable.constant) { _ in }
        }
        variable.value = 1
        #expect(recorders.map(\.changes.all) == [[], [ObjectIdentifier(variable)], [ObjectIdentifier(variable)]])
    }

    @Test("the notification's object is the Variable, and it is set by then")
    func object() {
        let variable = Variable(0)
        let seen = History<Int>()
        center.observe(variable) { _ in }
        let token = center.addObserver(forName: .variableDidChange, object: variable, queue: nil) { notification in
            if let variable = notification.object as? Variable<Int> { seen.append(variable.value) }
        }
        variable.value = 1
        center.removeObserver(token)
        variable.value = 2
        #expect(seen.all == [1])
    }

    @Test("nothing is posted without an observation, nor after its end")
    func ends() {
        let recorder = Recorder(center)
        let variable = Variable(0)
        variable.value = 1
        let observation = center.observe(variable) { _ in }
        observation.cancel()
        variable.value = 2
        #expect(recorder.changes.all.isEmpty)
    }
}
