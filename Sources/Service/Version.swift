/// The version of Bindery.
public enum Version {
    /// As in CHANGELOG.md, by Semantic Versioning 2.0.0.
    public static let current = "0.1.0"
}
