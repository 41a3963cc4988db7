/// A file of the package that `bindery new` writes.
///
/// The files lie in `Board`, where the package of that name would have them, those of one more view model in `Added`, and SwiftPM embeds them in the program: it writes packages
/// wherever it was copied to. SwiftPM embeds no hidden files, so theirs is a name without the dot.
struct Template {
    /// Where it lies in the package.
    let path: String
    private let bytes: [UInt8]

    private static let viewModel = Template("Sources/Board/BoardViewModel.swift", PackageResources.BoardViewModel_swift)
    private static let viewModelTests = Template(
        "Tests/BoardTests/BoardViewModelTests.swift", PackageResources.BoardViewModelTests_swift)
    private static let program = Template("Sources/Board/Board.swift", PackageResources.Board_swift)

    static let all = [
        Template("Package.swift", PackageResources.Package_swift),
        program, viewModel, viewModelTests,
        Template("script/serve", PackageResources.serve),
        Template("script/test", PackageResources.test),
        Template("Dockerfile", PackageResources.Dockerfile),
        Template(".dockerignore", PackageResources.dockerignore),
        Template("compose.yaml", PackageResources.compose_yaml),
        Template(".github/workflows/ci.yaml", PackageResources.ci_yaml),
        Template(".gitignore", PackageResources.gitignore),
        Template("README.md", PackageResources.README_md),
    ]

    /// What a package is given with one more view model: the least that is served.
    static let added = [
        Template("Sources/Board/BoardViewModel.swift", PackageResources.AddedViewModel_swift),
        Template("Tests/BoardTests/BoardViewModelTests.swift", PackageResources.AddedViewModelTests_swift),
    ]

    private init(_ path: String, _ bytes: [UInt8]) { (self.path, self.bytes) = (path, bytes) }

    /// What it says, for a package called Board.
    var text: String { String(decoding: bytes, as: UTF8.self) }

    /// What a file says for other names.
    func file(for names: Names) -> NewFile {
        NewFile(path: names.put(into: path), text: names.put(into: text), isScript: path.hasPrefix("script/"))
    }

    /// What the code of the package means something by, so that its program cannot be called so.
    static let identifiers = Set(
        ([program, viewModel, viewModelTests] + added).flatMap { template in
            SwiftCode(template.text).code.matches(of: /\b[A-Z][A-Za-z0-9]*/).map { String($0.output) }
        }.filter { !$0.hasPrefix("Board") })

    /// The names that take the place of those that the files have.
    struct Names {
        /// Of the target.
        let target: String
        /// What a test has served, in Swift: the program, or what it hosts.
        let served: String
        /// Of the view model.
        let viewModel: NewName

        /// In one go: a name may contain what is replaced.
        func put(into text: String) -> String {
            text.replacing(/BoardViewModel|withServer\(Board\.self\)|Board|board/) { match in
                switch match.output {
                case "BoardViewModel": "\(viewModel.swift)ViewModel"
                case "withServer(Board.self)": "withServer(\(served))"
                case "Board": target
                default: viewModel.path
                }
            }
        }
    }
}

/// A file to write.
struct NewFile {
    /// Relative to its package.
    let path: String
    var text: String
    /// Whether it can be run.
    var isScript = false
}
