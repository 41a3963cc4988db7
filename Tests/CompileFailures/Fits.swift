// compiles: what the others are measured against; were it refused, their refusal would mean nothing.
import Binding
import Foundation

final class Label {
    var text = ""
    var caption: String?
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
