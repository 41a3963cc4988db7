import BinderyKit
import Foundation

extension Command {
    /// Writes a view model into a package.
    static let addViewModel = Command(
        name: "add view-model",
        uses: [("NAME", "write a view model and its test into the package in this folder, and list it in its program")],
        isPlain: true, isOperand: isFile
    ) { options in
        guard let name = options.operand else {
            throw UsageError("add view-model needs a name: \(options.program.name) add view-model NAME")
        }
        let package = try HostPackage(at: URL(filePath: FileManager.default.currentDirectoryPath))
        for line in try package.add(NewName(name)) { Console.print(line) }
    }
}

/// A package that hosts view models.
struct HostPackage {
    private let folder: URL
    /// The target with the program.
    private let target: String
    /// The program, where it is a `BinderyProgram`.
    private let program: String?
    /// The files of the target.
    private let sources: [URL]

    /// - Throws: `CommandFailure` where there is none in the folder, or it is not clear which target is meant.
    init(at folder: URL) throws {
        self.folder = folder
        guard FileManager.default.fileExists(atPath: folder.appending(path: "Package.swift").path) else {
            throw CommandFailure("there is no Package.swift here: go to the package that the view model is for")
        }
        let sources = folder.appending(path: "Sources")
        let targets = try FileManager.default.contentsOfDirectory(atPath: sources.path).sorted().map { name in
            let files = Self.swiftFiles(in: sources.appending(path: name))
            return (name: name, files: files, program: try files.lazy.compactMap { try Self.code($0).program }.first)
        }.filter { !$0.files.isEmpty }
        let programs = targets.filter { $0.program != nil }
        guard let target = programs.count == 1 ? programs[0] : targets.count == 1 ? targets[0] : nil else {
            throw CommandFailure(
                programs.isEmpty
                    ? "no target in Sources has a BinderyProgram"
                    : "several targets have a BinderyProgram: \(programs.map(\.name).joined(separator: ", ")); "
                        + "a view model is a file, and a line in the program's viewModels")
        }
        (self.target, program, self.sources) = (target.name, target.program, target.files)
    }

    /// Writes a view model, its test, and the program's line for it.
    ///
    /// - Returns: what was done, in lines.
    /// - Throws: `CommandFailure` where a file is there already, and nothing was done, or where the place for the line is not to be
    ///   found, and all else was; what Foundation does.
    func add(_ name: NewName) throws -> [String] {
        let element = ".hosting(\(name.swift)ViewModel.init(model:))"
        let list = try sources.lazy.compactMap { file in
            try Self.code(file).hosting(element).map { (file: file, text: $0) }
        }.first
        let names = Template.Names(
            target: target, hosted: program.map { "\($0).viewModels" } ?? "[\(element)]", viewModel: name)
        let files = [Template.viewModel, .viewModelTests].map { $0.file(for: names) }
        let manager = FileManager.default
        for file in files where manager.fileExists(atPath: folder.appending(path: file.path).path) {
            throw CommandFailure("\(file.path) is here already")
        }
        for file in files { try file.write(into: folder) }
        let written = files.map { "\($0.path) is written" }
        guard let list else {
            throw CommandFailure(
                written.joined(separator: ", ") + "; the list of view models is not to be found in Sources/\(target): "
                    + "add \(element) where the program lists them")
        }
        try Data(list.text.utf8).write(to: list.file, options: .atomic)
        return written + ["Sources/\(target)/\(list.file.lastPathComponent) lists it"]
    }

    private static func swiftFiles(in folder: URL) -> [URL] {
        let paths = (try? FileManager.default.subpathsOfDirectory(atPath: folder.path)) ?? []
        return paths.filter { $0.hasSuffix(".swift") }.sorted().map { folder.appending(path: $0) }
    }

    private static func code(_ file: URL) throws -> SwiftCode {
        SwiftCode(try String(contentsOf: file, encoding: .utf8))
    }
}
