import Binding
import Foundation
import Testing

/// Protects the value of a Variable in all threads.
@Suite("Variable and Constant")
struct VariableTests {
    @Test("a Constant shows its Variable's value")
    func constantIsAFace() {
        let variable = Variable(1)
        let constant = Constant(variable)
        variable.value = 2
        #expect(constant.value == 2)
        #expect(constant.constant === constant)
    }

    @Test("setting an equal value is a change too")
    func equalValueIsAChange() {
        let center = NotificationCenter()
        let recorder = Recorder(center)
        let variable = Variable(1)
        var seen: [Int] = []
        center.observe(variable) { seen.append($0) }
        variable.value = 1
        #expect(seen == [1, 1])
        #expect(recorder.changes.all == [ObjectIdentifier(variable)])
    }

    @Test("reads and sets from many threads see whole values")
    func anyThread() {
        let variable = Variable("0, 0")
        DispatchQueue.concurrentPerform(iterations: 4_000) { round in
            variable.value = "\(round), \(round)"
            let halves = variable.value.split(separator: ", ")
            #expect(halves[0] == halves[1])
        }
    }

    @Test("a Posted property is set as a property and observed through its $ face")
    func posted() {
        let center = NotificationCenter()
        let recorder = Recorder(center)
        let viewModel = OrientationViewModel()
        var seen: [Bool] = []
        center.observe(viewModel.$isLandscape) { seen.append($0) }
        viewModel.turn()
        #expect(viewModel.isLandscape)
        #expect(seen == [false, true])
        #expect(recorder.changes.all.count == 1)
    }
}

private final class OrientationViewModel {
    @Posted private(set) var isLandscape = false

    func turn() {
        isLandscape.toggle()
    }
}
