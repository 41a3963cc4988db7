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
        for line in try package.add(NewName(name)) { try Console.print(line) }
    }
}

/// A package that hosts view models.
struct HostPackage {
    private let folder: URL
    /// What its `Package.swift` says.
    private let manifest: String
    /// The target with the program.
    private let target: String
    /// The program, where it is a `BinderyProgram`.
    private let program: String?
    /// The files of the target.
    private let sources: [URL]

    /// - Throws: `CommandFailure` where there is none in the folder, or it is not clear which target is meant.
    init(at folder: URL) throws {
        self.folder = folder
        guard let manifest = try? String(contentsOf: folder.appending(path: "Package.swift"), encoding: .utf8) else {
            throw CommandFailure("there is no Package.swift here: go to the package that the view model is for")
        }
        self.manifest = manifest
        let sources = folder.appending(path: "Sources")
        let names = (try? FileManager.default.contentsOfDirectory(atPath: sources.path)) ?? []
        let targets = try names.sorted().map { name in
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
    /// - Throws: `CommandFailure` where it is there already, and nothing was done, or where the program's list or the target for the test
    ///   is not to be found, and all else was done; what Foundation does.
    func add(_ name: NewName) throws -> [String] {
        let element = ".hosting(\(name.swift)ViewModel.init(model:))"
        let list = try sources.lazy.compactMap { file in
            try Self.code(file).hosting(element).map { (file: file, text: $0) }
        }.first
        let names = Template.Names(
            target: target, served: program.map { "\($0).self" } ?? "viewModels: [\(element)]", viewModel: name)
        let files = Template.added.map { $0.file(for: names) }
        let manager = FileManager.default
        for file in files where manager.fileExists(atPath: folder.appending(path: file.path).path) {
            throw CommandFailure("\(file.path) is here already")
        }
        let type = "\(name.swift)ViewModel"
        for file in sources {
            // SwiftPM lets no two files of a target have one name.
            guard try file.lastPathComponent != "\(type).swift" && !Self.code(file).declares(type) else {
                throw CommandFailure("\(type) is here already, in \(place(of: file))")
            }
        }
        for file in files { try file.write(into: folder) }
        var done = files.map { "\($0.path) is written" }
        var left: [String] = []
        if let list {
            try Data(list.text.utf8).write(to: list.file, options: .atomic)
            done.append("\(place(of: list.file)) lists it")
        } else {
            left.append(
                "the list of view models is not to be found in Sources/\(target): add \(element) where the program has it"
            )
        }
        if !manifest.contains("\"\(target)Tests\"") {
            left.append(
                "Package.swift has no \(target)Tests: add a test target of that name, which depends on \(target) and BinderyTesting"
            )
        }
        guard left.isEmpty else { throw CommandFailure((done + left).joined(separator: "; ")) }
        return done
    }

    /// A file of the target, as seen from the package.
    private func place(of file: URL) -> String { String(file.path.dropFirst(folder.path.count).drop { $0 == "/" }) }

    private static func swiftFiles(in folder: URL) -> [URL] {
        let paths = (try? FileManager.default.subpathsOfDirectory(atPath: folder.path)) ?? []
        return paths.filter { $0.hasSuffix(".swift") }.sorted().map { folder.appending(path: $0) }
    }

    private static func code(_ file: URL) throws -> SwiftCode {
        SwiftCode(try String(contentsOf: file, encoding: .utf8))
    }
}
