import Binding
import ViewModels

/// What can be told to an orientation view model.
public protocol OrientationViewModelInputs {
    /// The device was turned.
    func change(_ change: OrientationChange)
}

/// What an orientation view model shows.
public protocol OrientationViewModelOutputs {
    /// Whether the device lies on its side.
    var isLandscape: Constant<Bool> { get }
}

/// An orientation view model as a view sees it: what goes in here, what comes out there.
public protocol OrientationViewModelType {
    /// What can be told to it.
    var inputs: any OrientationViewModelInputs { get }
    /// What it shows.
    var outputs: any OrientationViewModelOutputs { get }
}

/// Says whether a device lies on its side; reached through inputs, outputs and their type.
public final class OrientationViewModel:
    ViewModel, OrientationViewModelType, OrientationViewModelInputs, OrientationViewModelOutputs
{
    /// The orientation's output and action.
    public static let interface = Interface<OrientationViewModel>(
        "orientation", "Says whether a device lies on its side."
    ) {
        Output("isLandscape", \.isLandscape, "Whether the device lies on its side.")
        Action(
            "change", "The device was turned.", example: OrientationChange(.landscapeLeft), OrientationViewModel.change)
    }

    // Inputs

    /// What can be told to it: itself, and no more of it than that.
    public var inputs: any OrientationViewModelInputs { self }

    /// The device was turned.
    public func change(_ change: OrientationChange) {
        model.orientation = change.orientation
        shown.update(to: model.orientation.isLandscape)
    }

    // Outputs

    /// What it shows: itself, and no more of it than that.
    public var outputs: any OrientationViewModelOutputs { self }

    /// Whether the device lies on its side.
    public let isLandscape: Constant<Bool>

    // Wiring

    /// The latest orientation, to rebuild the view model from.
    public private(set) var model: OrientationModel
    private let shown: Variable<Bool>

    /// Begins with an orientation, by default an unknown one.
    public init(model: OrientationModel = OrientationModel()) {
        self.model = model
        shown = Variable(model.orientation.isLandscape)
        isLandscape = shown.constant
    }
}
