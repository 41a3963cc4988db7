// Bindings whose types do not fit do not compile: script/check-types expects an error in each line that says so, and no other.
import Binding
import Foundation

final class Label {
    var text = ""
    var caption: String?
    let title = ""
}

func fits(_ center: NotificationCenter, _ label: Label, _ model: Label) {
    center.observe(Variable(""), bindTo: label, \.text)
    center.observe(Variable(""), bindTo: label, \.caption)
    center.observe(Variable<String?>(nil), bindTo: label, \.caption)
    center.observe(Constant(Variable("")), on: .main, bindTo: label, \.text)
    center.observe(model, \.text, bindTo: label, \.caption)
    center.observe(model, \.text, on: .main) { label.text = $0 }
    center.post(\Label.text, of: model)
}

func otherType(_ center: NotificationCenter, _ label: Label, _ count: Variable<Int>) {
    center.observe(count, bindTo: label, \.text)  // error
}

func otherOptional(_ center: NotificationCenter, _ label: Label, _ count: Variable<Int>) {
    center.observe(count, bindTo: label, \.caption)  // error
}

func constantOfOtherType(_ center: NotificationCenter, _ label: Label, _ count: Constant<Int>) {
    center.observe(count, bindTo: label, \.text)  // error
}

func optionalToValue(_ center: NotificationCenter, _ label: Label, _ text: Variable<String?>) {
    center.observe(text, bindTo: label, \.text)  // error
}

func propertyOfOtherType(_ center: NotificationCenter, _ label: Label, _ model: Label) {
    center.observe(model, \.text.count, bindTo: label, \.text)  // error
}

func propertyOptionalToValue(_ center: NotificationCenter, _ label: Label, _ model: Label) {
    center.observe(model, \.caption, bindTo: label, \.text)  // error
}

func readOnlyTarget(_ center: NotificationCenter, _ label: Label, _ text: Variable<String>) {
    center.observe(text, bindTo: label, \.title)  // error
}

func postOtherObject(_ center: NotificationCenter, _ other: NSObject) {
    center.post(\Label.text, of: other)  // error
}

func setConstant(_ text: Constant<String>) {
    text.value = "a"  // error
}

func unsendableValue(_ model: Label) {
    _ = Variable(model)  // error
}
