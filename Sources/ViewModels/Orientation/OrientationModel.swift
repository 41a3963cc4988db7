/// The model of the orientation view models: how the device is held.
public struct OrientationModel: StoredModel {
    /// The latest orientation.
    public var orientation = Orientation.unknown

    /// Begins not knowing.
    public init() {}
}
