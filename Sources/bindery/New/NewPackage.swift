import BinderyKit
import Foundation

extension Command {
    static let new = Command(
        "new", "write a package that hosts a view model, with tests, scripts and Dockerfile", words: "NAME",
        options: [ProgramOption("bindery", "PATH", "the source of Bindery; the package gets a copy")]
    ) { options in
        let name = options.operands[0]
        guard let library = options["bindery"] else {
            throw UsageError("new needs --bindery PATH, the source of Bindery")
        }
        try NewPackage(name, library: library).write(
            into: URL(filePath: FileManager.default.currentDirectoryPath))
        try Console.print("\(name) is written; \(name)/README.md describes it, and \(name)/script/test tests it")
    }
}

/// A package that hosts one view model; it has a copy of Bindery, so its image is built from its own folder.
///
/// `Template` has the files, as those of a package Board, and SwiftPM embeds them in the program. SwiftPM embeds no hidden
/// files, so these have other names there.
struct NewPackage {
    /// The path and the text of each file, without the library's.
    let files: [(path: String, text: String)]
    private let name: String
    private let library: URL

    /// - Throws: `UsageError` for a name that no type can have, `CommandFailure` if the path is not the source of Bindery.
    init(_ name: String, library: String) throws {
        guard name.wholeMatch(of: /[A-Z][A-Za-z0-9]{0,63}/) != nil else {
            throw UsageError(
                "\"\(name)\" is no valid name: take a capital letter, then up to 63 letters and digits, as KitchenDesk")
        }
        let manifest = try? String(contentsOfFile: "\(library)/Package.swift", encoding: .utf8)
        guard manifest?.contains(#"name: "Bindery""#) == true else {
            throw CommandFailure("\(library) is not the source of Bindery")
        }
        (self.name, self.library) = (name, URL(filePath: library))
        func named(_ text: String) -> String {
            text.replacing(/Board|board/) { $0.output == "Board" ? name : name.lowercased() }
        }
        files = Self.template.map { (named($0), named(String(decoding: $1, as: UTF8.self))) }
    }

    /// The files of the package Board.
    private static let template: [(path: String, bytes: [UInt8])] = [
        ("Package.swift", PackageResources.Package_swift),
        ("Sources/Board/Board.swift", PackageResources.Board_swift),
        ("Sources/Board/ShoppingList.swift", PackageResources.ShoppingList_swift),
        ("Tests/BoardTests/ShoppingListTests.swift", PackageResources.ShoppingListTests_swift),
        ("script/serve", PackageResources.serve), ("script/test", PackageResources.test),
        ("Dockerfile", PackageResources.Dockerfile), (".dockerignore", PackageResources.dockerignore),
        (".gitignore", PackageResources.gitignore), ("README.md", PackageResources.README_md),
    ]

    /// Writes the package into a new folder of its name, with the manifest and the sources of Bindery, without tests.
    ///
    /// - Throws: `CommandFailure` if the folder exists; the errors of Foundation, after it has removed the folder.
    func write(into directory: URL) throws {
        let (manager, folder) = (FileManager.default, directory.appending(path: name))
        guard !manager.fileExists(atPath: folder.path) else { throw CommandFailure("\(name) exists already") }
        do {
            for (path, text) in files {
                let url = folder.appending(path: path)
                try manager.createDirectory(at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
                try Data(text.utf8).write(to: url)
                guard path.hasPrefix("script/") else { continue }
                try manager.setAttributes([.posixPermissions: 0o755], ofItemAtPath: url.path)
            }
            let copy = folder.appending(path: "bindery")
            try manager.createDirectory(at: copy, withIntermediateDirectories: false)
            for name in ["Package.swift", "Sources"] {
                try manager.copyItem(at: library.appending(path: name), to: copy.appending(path: name))
            }
        } catch {
            try? manager.removeItem(at: folder)
            throw error
        }
    }
}
