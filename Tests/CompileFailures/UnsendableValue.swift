// error: type 'Label' does not conform to the 'Sendable' protocol
import Binding
import Foundation

final class Label {
    var text = ""
    var caption: String?
    let title = ""
}

func doesNotFit(_ center: NotificationCenter, _ label: Label, _ model: Label) {
    _ = Variable(model)
}
