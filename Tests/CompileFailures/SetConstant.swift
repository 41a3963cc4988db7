// error: 'value' is a get-only property
import Binding
import Foundation

final class Label {
    var text = ""
    var caption: String?
    let title = ""
}

func doesNotFit(_ center: NotificationCenter, _ label: Label, _ text: Constant<String>) {
    text.value = "a"
}
