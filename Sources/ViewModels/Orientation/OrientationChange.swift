/// A device was turned: the input of the orientation view models.
public struct OrientationChange: Codable, Sendable {
    /// How it is held now.
    public var orientation: Orientation

    /// Takes the orientation.
    public init(_ orientation: Orientation) { self.orientation = orientation }
}
