import Observation
import ViewModels

/// Says whether a device lies on its side; an `@Observable` class, hosted as it is.
///
/// In process a view observes its property directly, with `withObservationTracking` or in SwiftUI.
@Observable
public final class ObservedOrientationViewModel: ViewModel {
    /// The orientation's output and action.
    public static let interface = Interface<ObservedOrientationViewModel>(
        "orientation-observed", "Says whether a device lies on its side; a class whose property is observed directly."
    ) {
        Output("isLandscape", \.isLandscape, "Whether the device lies on its side.")
        Action(
            "change", "The device was turned.", example: OrientationChange(.landscapeLeft),
            ObservedOrientationViewModel.change)
    }

    // Inputs

    /// The device was turned.
    public func change(_ change: OrientationChange) {
        model.orientation = change.orientation
        isLandscape = model.orientation.isLandscape
    }

    // Outputs

    /// Whether the device lies on its side.
    public private(set) var isLandscape: Bool

    // Wiring

    /// The latest orientation, to rebuild the view model from.
    @ObservationIgnored public private(set) var model: OrientationModel

    /// Begins with an orientation, by default an unknown one.
    public init(model: OrientationModel = OrientationModel()) {
        self.model = model
        isLandscape = model.orientation.isLandscape
    }
}
