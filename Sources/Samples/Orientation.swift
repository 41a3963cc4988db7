import ViewModels

/// How a device is held.
public enum Orientation: String, Codable, Sendable, CaseIterable {
    /// Upright.
    case portrait
    /// Upright, upside down.
    case portraitUpsideDown
    /// On its side, the top to the left.
    case landscapeLeft
    /// On its side, the top to the right.
    case landscapeRight
    /// Flat, the screen up.
    case faceUp
    /// Flat, the screen down.
    case faceDown
    /// Not known.
    case unknown

    /// Whether it lies on its side.
    public var isLandscape: Bool { self == .landscapeLeft || self == .landscapeRight }
}

/// A device was turned: the input of the orientation view models.
public struct OrientationChange: Codable, Sendable {
    /// How it is held now.
    public var orientation: Orientation

    /// Takes the orientation.
    public init(_ orientation: Orientation) { self.orientation = orientation }
}

/// The model of the orientation view models: how the device is held.
public struct OrientationModel: StoredModel {
    /// The latest orientation.
    public var orientation = Orientation.unknown

    /// Begins not knowing.
    public init() {}
}
