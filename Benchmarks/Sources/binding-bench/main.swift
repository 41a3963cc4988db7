import BinderyKit
import Foundation

// What a set of a Variable costs, beside the bare NotificationCenter.post that it cannot be cheaper than.
// Each figure is the best of seven runs: the others measure the machine.

final class Label {
    var text = ""
    var count = 0
}

/// Counts what a recorder sees; not synchronised, since all is set from this one thread.
final class Tally: @unchecked Sendable {
    var seen = 0
    var last: ObjectIdentifier?
}

func measure(_ name: String, _ body: (Int) -> Void) {
    let rounds = 200_000
    let clock = ContinuousClock()
    let best = (0..<7).map { _ in clock.measure { for round in 0..<rounds { body(round) } } }.min() ?? .zero
    let nanoseconds = Double(best.components.attoseconds) / 1e9 / Double(rounds)
    print(name.padding(toLength: 56, withPad: " ", startingAt: 0), String(format: "%7.1f ns", nanoseconds))
}

func withRecorder(_ body: (NotificationCenter, Tally) -> Void) {
    let center = NotificationCenter()
    let tally = Tally()
    let token = center.addObserver(forName: nil, object: nil, queue: nil) { notification in
        tally.seen += 1
        tally.last = (notification.object as AnyObject?).map(ObjectIdentifier.init)
    }
    body(center, tally)
    center.removeObserver(token)
}

let texts = (0..<16).map { "a text that does not fit inline \($0)" }

withRecorder { center, _ in
    let object = Label()
    measure("NotificationCenter.post, one observer") { _ in center.post(name: .variableDidChange, object: object) }
}
measure("NotificationCenter.post, none") { _ in
    NotificationCenter.default.post(name: .variableDidChange, object: nil)
}
let alone = Variable(0)
measure("set Int, alone") { alone.value = $0 }
measure("get Int") { _ in precondition(alone.value >= 0) }
let aloneText = Variable("")
measure("set String, alone") { aloneText.value = texts[$0 & 15] }
withRecorder { center, tally in
    let variable = Variable(0)
    center.attach(variable)
    measure("set Int, attached, one recorder") { variable.value = $0 }
    precondition(tally.last == variable.id)
    center.observe(variable) { _ in }
    measure("set Int, attached, one recorder, one onChange") { variable.value = $0 }
}
withRecorder { center, _ in
    let variable = Variable("")
    center.attach(variable)
    measure("set String, attached, one recorder") { variable.value = texts[$0 & 15] }
}
let changes = ChangeRecorder()
let followed = Variable(0)
changes.follow(followed)
measure("set Int, followed by a change recorder, and drained") {
    followed.value = $0
    precondition(changes.drain().count == 1)
}
let center = NotificationCenter()
let observed = Variable(0)
center.observe(observed) { _ in }
measure("set Int, one onChange") { observed.value = $0 }
let bound = Variable(0)
let label = Label()
center.observe(bound, bindTo: label, \.count)
measure("set Int, one bindTo") { bound.value = $0 }
measure("make and drop a Variable<Int>") { _ in _ = Variable(0) }
measure("make, attach and drop a Variable<Int>") { _ in center.attach(Variable(0)) }
measure("observe and cancel") { _ in center.observe(alone) { _ in }.cancel() }
