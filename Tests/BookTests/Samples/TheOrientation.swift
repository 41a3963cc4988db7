import BinderyKit
import Foundation
import Observation
import Samples
import Testing

@Test("a view reaches the orientation through its inputs and outputs")
func orientation() {
    final class View {
        var isWide = false
    }
    let center = NotificationCenter()
    let view = View()

    let viewModel: any OrientationViewModelType = OrientationViewModel()
    let observer = center.observe(viewModel.outputs.isLandscape, bindTo: view, \.isWide)
    viewModel.inputs.change(OrientationChange(.landscapeLeft))

    #expect(view.isWide)
    observer.cancel()
}

/// What SwiftUI does for a view that reads a property of an `@Observable` class.
@Test("a view observes the property of an observable class directly")
func observedOrientation() {
    let asked = Variable(0)

    let viewModel = ObservedOrientationViewModel()
    let isWide = withObservationTracking {
        viewModel.isLandscape
    } onChange: {
        asked.value += 1  // the view draws itself again
    }
    viewModel.change(OrientationChange(.landscapeLeft))

    #expect(!isWide && asked.value == 1)
}

final class PostedOrientation: ViewModel {
    static let interface = Interface<PostedOrientation>("orientation-posted") {
        Output("isLandscape", \.$isLandscape)
        Action("change", "It was turned.", example: OrientationChange(.faceUp), PostedOrientation.change)
    }

    @Posted private(set) var isLandscape = false

    func change(_ change: OrientationChange) {
        model.orientation = change.orientation
        isLandscape = model.orientation.isLandscape
    }

    private(set) var model: OrientationModel
    init(model: OrientationModel) {
        self.model = model
        isLandscape = model.orientation.isLandscape
    }
}

@Test("a posted property reads like a plain one, and is bound through its face")
func postedOrientation() {
    let viewModel = PostedOrientation(model: OrientationModel())
    let seen = Variable(false)
    let observer = NotificationCenter().observe(viewModel.$isLandscape) { seen.value = $0 }
    viewModel.change(OrientationChange(.landscapeRight))
    #expect(viewModel.isLandscape && seen.value)
    observer.cancel()
}
