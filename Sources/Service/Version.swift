internal import CBuild

/// The version of Bindery.
public enum Version {
    /// As in CHANGELOG.md, by Semantic Versioning 2.0.0.
    public static let current = "0.2.0"

    /// The revision of the source; nil where the build did not say it (`-Xcc -DBINDERY_REVISION='"…"'`).
    public static let revision = build_revision().map { String(cString: $0) }
}

/// The program that a server runs in, as `GET /`, the OpenAPI description and the metrics name it.
package struct ServedProgram: Sendable {
    /// The name of the program.
    package let name: String
    /// The version of the program; `0.0.0` if it has none, because OpenAPI requires one.
    package let version: String

    /// Bindery itself, for a host that does not name its program.
    package static let bindery = ServedProgram(name: "Bindery", version: Version.current)

    /// Names a program; nil and an empty text stand for no version.
    package init(name: String, version: String?) {
        self.name = name
        self.version = version.flatMap { $0.isEmpty ? nil : $0 } ?? "0.0.0"
    }
}
