internal import CBuild

/// The version of Bindery.
public enum Version {
    /// The latest version in CHANGELOG.md (Semantic Versioning 2.0.0).
    public static let current = "0.2.0"

    /// The revision of the source; nil if the build did not set it (`-Xcc -DBINDERY_REVISION='"…"'`).
    public static let revision = build_revision().map { String(cString: $0) }
}
