import Binding
import Foundation
import TestSupport
import Testing

@testable import ViewModels

@Suite("A @Posted property as an output")
struct PostedOutputTests {
    /// Written with plain properties, and observed all the same.
    final class Lamp: ViewModel {
        struct Model: StoredModel { var isOn = false }

        static let interface = Interface<Lamp>("lamp") {
            Output("isOn", \.$isOn)
            Action("press", Lamp.press)
        }

        func press() { isOn.toggle() }
        @Posted private(set) var isOn: Bool
        var model: Model {
            var model = Model()
            model.isOn = isOn
            return model
        }
        init(model: Model) { isOn = model.isOn }
    }

    @Test("is shown, and its shape is the property's")
    func shown() async throws {
        let lamp = try HostedBench(.hosting(Lamp.init(model:)))
        #expect(lamp.declaration.outputs.map(\.schema) == [.boolean])
        #expect(try lamp.output("isOn") == false)
        try await lamp.perform("press")
        #expect(try lamp.output("isOn") == true)
    }

    @Test("posts on the session's center, as the variable that its host was told of")
    func posts() async throws {
        let center = NotificationCenter()
        let posters = History<ObjectIdentifier>()
        let observer = center.addObserver(forName: .variableDidChange, object: nil, queue: nil) { notification in
            (notification.object as? any ReadableVariable).map { posters.note($0.id) }
        }
        defer { center.removeObserver(observer) }
        let lamp = try Declaration.hosting(Lamp.init(model:)).make(in: ViewModelContext(center: center))
        try await lamp.perform(0, body: [])
        #expect(posters.elements.map(Optional.some) == lamp.variables.map { $0?.id })
    }
}
