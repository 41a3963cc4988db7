internal import CBuild

/// The version of Bindery.
public enum Version {
    /// As in CHANGELOG.md, by Semantic Versioning 2.0.0.
    public static let current = "0.1.0"

    /// The revision of the source; nil where the build did not say it (`-Xcc -DBINDERY_REVISION='"…"'`).
    public static let revision = build_revision().map { String(cString: $0) }

    /// The linker's id of the program, in hexadecimal digits: what `file` and debuggers name it by; nil where it has none.
    public static let build: String? = {
        let digits = [CChar](unsafeUninitializedCapacity: 129) { buffer, count in
            guard let start = buffer.baseAddress else { return }
            count = build_id(start, buffer.count)
        }
        return digits.isEmpty ? nil : String(decoding: digits.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }()
}

/// The program that a server is, as `GET /` and the description call it.
package struct ServedProgram: Sendable {
    package let name: String
    let version: String

    /// Bindery itself, where nobody says what program it is in.
    package static let bindery = ServedProgram(name: "Bindery", version: Version.current)

    /// Names a program.
    ///
    /// - Parameter version: nil or empty for none, which is told as 0.0.0: a description must have one.
    package init(name: String, version: String?) {
        self.name = name
        self.version = version.flatMap { $0.isEmpty ? nil : $0 } ?? "0.0.0"
    }
}
