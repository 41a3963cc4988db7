import BinderyKit
import Foundation

extension Command {
    /// Writes a package.
    static let new = Command(
        name: "new",
        uses: [
            (
                "NAME --bindery PATH|URL",
                "write a package that hosts a view model, with tests, scripts, Dockerfile and CI file"
            )
        ],
        options: [
            ProgramOption(
                "bindery", "PATH|URL", \.own.library,
                "where the package has Bindery from: a copy of PATH in it, or URL, as `…/bindery.git#BRANCH`", code: "–"
            ) {
                $0 ?? ""
            } read: {
                $0
            }
        ],
        isPlain: true, isOperand: isFile
    ) { options in
        guard let name = options.operand, let library = options.own.library else {
            throw UsageError(
                "new needs a name and where Bindery is: \(options.program.name) new NAME --bindery PATH|URL")
        }
        let package = NewPackage(name: try NewName(ofPackage: name), library: try Library(library))
        try package.write(into: URL(filePath: FileManager.default.currentDirectoryPath))
        try Console.print(
            "\(name) is written: \(name)/README.md says what is in it, and \(name)/script/test whether it works")
    }
}

/// A package that hosts one view model.
struct NewPackage {
    /// Of the package, its target, its program and its view model.
    let name: NewName
    let library: Library

    /// Its files, but for the library's.
    var files: [NewFile] {
        let names = Template.Names(target: name.swift, served: "\(name.swift).self", viewModel: name)
        return Template.all.map { library.put(into: $0.file(for: names)) }
    }

    /// Writes it into a folder of its name, all of it or nothing.
    ///
    /// - Throws: `CommandFailure` where there is something already; what Foundation does.
    func write(into directory: URL) throws {
        let (manager, folder) = (FileManager.default, directory.appending(path: name.swift))
        if manager.fileExists(atPath: folder.path) {
            guard (try? manager.contentsOfDirectory(atPath: folder.path)) == [] else {
                throw CommandFailure("\(name.swift) is here already, and not an empty folder")
            }
        }
        let draft = directory.appending(path: ".\(name.swift)-\(UUID().uuidString)")
        do {
            for file in files { try file.write(into: draft) }
            try library.copy(into: draft)
            // Takes the place of a folder that is empty, and of nothing else (rename(2)).
            guard rename(draft.path, folder.path) == 0 else {
                throw CommandFailure("\(name.swift) cannot be put here: \(String(cString: strerror(errno)))")
            }
        } catch {
            try? manager.removeItem(at: draft)
            throw error
        }
    }
}

extension NewFile {
    /// Writes it into a folder, where nothing is yet.
    ///
    /// - Throws: what Foundation does, as where there is a file already.
    func write(into folder: URL) throws {
        let url = folder.appending(path: path)
        try FileManager.default.createDirectory(at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(text.utf8).write(to: url, options: .withoutOverwriting)
        if isScript { try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: url.path) }
    }
}
