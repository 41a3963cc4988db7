/// How a device is held.
public enum Orientation: String, Codable, Sendable, CaseIterable, SchemaDescribing {
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
