import BinderyKit
import Foundation

extension Command {
    /// Writes a package.
    static let new = Command(
        "new", "write a package that hosts a view model, with tests, scripts, Dockerfile and CI file", words: "NAME",
        operands: 1...1,
        options: [
            ProgramOption(
                "bindery", "PATH|URL",
                "where the package has Bindery from: a copy of PATH, or URL, as https://…/bindery.git#BRANCH")
        ]
    ) { options in
        let name = options.operands[0]
        guard let library = options["bindery"] else {
            throw UsageError("new needs --bindery PATH|URL, which says where Bindery is")
        }
        try NewPackage(name, library: Library(library)).write(
            into: URL(filePath: FileManager.default.currentDirectoryPath))
        try Console.print("\(name) is written; \(name)/README.md says what is in it, and \(name)/script/test tests it")
    }
}

/// A package that hosts one view model.
struct NewPackage {
    private let name: String
    private let library: Library

    /// - Throws: `UsageError` where the package and its program cannot have the name.
    init(_ name: String, library: Library) throws {
        guard name.wholeMatch(of: /[A-Z][A-Za-z0-9]{0,63}/) != nil else {
            throw UsageError(
                "\"\(name)\" cannot be a name: take a capital letter, then up to 63 letters and digits, as ShoppingList"
            )
        }
        guard !Self.targets.contains(where: { $0.lowercased() == name.lowercased() }) else {
            throw UsageError("\(name) cannot be a package's name: Bindery has a target of that name")
        }
        guard !Template.identifiers.contains(name), !Self.modules.contains(name) else {
            throw UsageError("\(name) cannot be a package's name: its code already uses that word")
        }
        (self.name, self.library) = (name, library)
    }

    /// Its files, but for the library's.
    var files: [NewFile] { Template.all.map { library.named(in: $0.file(for: name)) } }

    /// Writes it into a new folder of its name.
    ///
    /// - Throws: `CommandFailure` where there is something of that name; what Foundation throws, and nothing is left then.
    func write(into directory: URL) throws {
        let (manager, folder) = (FileManager.default, directory.appending(path: name))
        guard !manager.fileExists(atPath: folder.path) else { throw CommandFailure("\(name) exists already") }
        do {
            for file in files {
                let url = folder.appending(path: file.path)
                try manager.createDirectory(at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
                try Data(file.text.utf8).write(to: url)
                guard file.isScript else { continue }
                try manager.setAttributes([.posixPermissions: 0o755], ofItemAtPath: url.path)
            }
            try library.copy(into: folder)
        } catch {
            try? manager.removeItem(at: folder)
            throw error
        }
    }

    /// Bindery's own targets and its package: SwiftPM allows no other target of the same name.
    static let targets = [
        "Bindery", "BinderyClient", "BinderyJWT", "BinderyKit", "BinderyTesting", "Binding", "CBuild", "CHTTPShim",
        "CJWT", "CMicrohttpd", "CPostgres", "CSQLite", "Entities", "Events", "HTTP", "Locking", "PostgresStore",
        "SQLiteStore", "Samples", "Service", "StoreParts", "ViewModelContract", "ViewModels", "WebFiles",
    ]

    /// Words of Swift, and modules that Bindery or its tests import.
    private static let modules: Set = [
        "Any", "Dispatch", "Foundation", "Glibc", "Observation", "Protocol", "Self", "Swift", "Synchronization",
        "Testing",
        "Type",
    ]
}
