import BinderyKit
import Foundation
import Testing

private final class NumberLabel {
    var count: Int?
}

@Test("a label has the current value at once, and then each change")
func binding() {
    let label = NumberLabel()

    let count = Variable(0)
    let center = NotificationCenter()
    center.observe(count, bindTo: label, \.count)
    count.value = 1

    #expect(label.count == 1)
}
