// error: no exact matches in call to instance method 'observe'
import Binding
import Foundation

final class Label {
    var text = ""
    var caption: String?
    let title = ""
}

func doesNotFit(_ center: NotificationCenter, _ label: Label, _ count: Constant<Int>) {
    center.observe(count, bindTo: label, \.text)
}
