// error: NSObject
import Binding
import Foundation

final class Label {
    var text = ""
    var caption: String?
    let title = ""
}

func doesNotFit(_ center: NotificationCenter, _ label: Label, _ other: NSObject) {
    center.post(\Label.text, of: other)
}
