import Foundation
import SQLiteStore

/// `bindery backup PATH`, `bindery backup DIRECTORY --keep N`: copies the store while it is served.
enum Backup {
    /// - Parameters:
    ///   - arguments: the new file, or a directory and how many copies are kept there, and options that say where the store is.
    /// - Throws: ``UsageError``; `SQLiteStoreError`, as where there is such a file.
    static func run(
        _ program: any BinderyProgram.Type, _ arguments: [String], _ environment: [String: String]
    ) async throws {
        guard let target = arguments.first, !target.hasPrefix("--"), !target.isEmpty else {
            throw UsageError(
                "backup needs the file to write, or a directory and how many copies to keep there: "
                    + "\(program.name) backup PATH|DIRECTORY [--keep N] [--store sqlite:PATH]")
        }
        var rest = Array(arguments.dropFirst())
        let kept = try kept(among: &rest)
        let source = try ServeOptions(of: program, arguments: rest, environment: environment).file(
            or: "cannot be backed up")
        var isDirectory: ObjCBool = false
        guard FileManager.default.fileExists(atPath: target, isDirectory: &isDirectory), isDirectory.boolValue else {
            guard kept == nil else { throw UsageError("--keep needs a directory, which \(target) is not") }
            try await SQLiteStore.backup(from: source, to: target)
            return Output.print("\(source) copied to \(target)")
        }
        guard let kept else {
            throw UsageError("\(target) is a directory: say --keep N, how many copies to keep there")
        }
        let (copy, removed) = try await SQLiteStore.backup(from: source, into: target, keeping: kept)
        Output.print("\(source) copied to \(copy)" + removed.map { "\n\($0) removed" }.joined())
    }

    /// Takes `--keep N` out of the arguments, which is no option of serve; nil where it is not there.
    private static func kept(among arguments: inout [String]) throws -> Int? {
        guard let value = arguments.takeValue(of: "--keep") else { return nil }
        guard let count = Int(value), count > 0 else {
            throw UsageError("--keep needs a number from 1, not '\(value)'")
        }
        return count
    }
}
