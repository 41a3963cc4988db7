/// A file of the package that `bindery new` writes.
///
/// The files are in `Template`, as the package Board has them, and SwiftPM embeds them in the program. SwiftPM embeds no
/// hidden files, so those have other names there.
struct Template {
    /// The path within the package Board.
    let path: String
    /// The text in the package Board.
    let text: String

    static let all = [
        Template("Package.swift", PackageResources.Package_swift),
        Template("Sources/Board/Board.swift", PackageResources.Board_swift),
        Template("Sources/Board/ShoppingList.swift", PackageResources.ShoppingList_swift),
        Template("Tests/BoardTests/ShoppingListTests.swift", PackageResources.ShoppingListTests_swift),
        Template("script/serve", PackageResources.serve),
        Template("script/test", PackageResources.test),
        Template("Dockerfile", PackageResources.Dockerfile),
        Template(".dockerignore", PackageResources.dockerignore),
        Template("compose.yaml", PackageResources.compose_yaml),
        Template(".github/workflows/ci.yaml", PackageResources.ci_yaml),
        Template(".gitignore", PackageResources.gitignore),
        Template("README.md", PackageResources.README_md),
    ]

    /// The words of the package's code, which its program cannot have as its name.
    static let identifiers = Set(
        all.filter { $0.path.hasPrefix("Sources/") || $0.path.hasPrefix("Tests/") }
            .flatMap { $0.text.matches(of: /\b[A-Z][A-Za-z0-9]*/) }.map { String($0.output) }
    ).subtracting(["Board", "BoardTests"])

    private init(_ path: String, _ bytes: [UInt8]) {
        (self.path, text) = (path, String(decoding: bytes, as: UTF8.self))
    }

    /// The file for a package of another name.
    func file(for name: String) -> NewFile {
        func named(_ text: String) -> String {
            text.replacing(/Board|board/) { $0.output == "Board" ? name : name.lowercased() }
        }
        return NewFile(path: named(path), text: named(text), isScript: path.hasPrefix("script/"))
    }
}

/// A file to write.
struct NewFile {
    /// The path within its package.
    let path: String
    var text: String
    let isScript: Bool
}
