import Binding
import Observation
import ViewModels

/// The orientation of a device.
enum Orientation: String, Codable, Sendable, CaseIterable {
    case portrait, portraitUpsideDown, landscapeLeft, landscapeRight, faceUp, faceDown, unknown

    var isLandscape: Bool { self == .landscapeLeft || self == .landscapeRight }
}

/// The device's orientation: the model of both view models, and the input of `change`.
struct DeviceState: StoredModel {
    var orientation = Orientation.unknown
}

/// The inputs of an orientation view model.
protocol OrientationViewModelInputs {
    func change(_ state: DeviceState)
}

/// The outputs of an orientation view model.
protocol OrientationViewModelOutputs {
    var isLandscape: Constant<Bool> { get }
}

/// The view's interface of the orientation view model.
protocol OrientationViewModelType {
    var inputs: any OrientationViewModelInputs { get }
    var outputs: any OrientationViewModelOutputs { get }
}

/// Shows whether a device lies on its side, through the protocols of its inputs, outputs and type.
final class OrientationViewModel:
    ObjectViewModel, OrientationViewModelType, OrientationViewModelInputs, OrientationViewModelOutputs
{
    static let interface = Interface<OrientationViewModel>(
        "orientation", "Says whether a device lies on its side."
    ) {
        Output("isLandscape", \.isLandscape, "Whether the device lies on its side.")
        Action("change", "Sets the orientation.", example: DeviceState(orientation: .landscapeLeft)) { $0.change($1) }
    }

    var inputs: any OrientationViewModelInputs { self }
    var outputs: any OrientationViewModelOutputs { self }
    var isLandscape: Constant<Bool> { shown.constant }
    private(set) var model: DeviceState
    private let shown: Variable<Bool>

    init(model: DeviceState, context: Context) {
        self.model = model
        shown = Variable(model.orientation.isLandscape)
    }

    func change(_ state: DeviceState) {
        model = state
        shown.update(to: state.orientation.isLandscape)
    }
}

/// The same view model as an `@Observable` class: a view in the same process observes its property directly.
@Observable
final class ObservedOrientation: ObjectViewModel {
    static let interface = Interface<ObservedOrientation>(
        "orientation-observed", "Says whether a device lies on its side; a class whose property is observed directly."
    ) {
        Output("isLandscape", \.isLandscape, "Whether the device lies on its side.")
        Action("change", "Sets the orientation.", example: DeviceState(orientation: .landscapeLeft)) { $0.model = $1 }
    }

    var model: DeviceState
    var isLandscape: Bool { model.orientation.isLandscape }

    init(model: DeviceState, context: Context) { self.model = model }
}
