import Foundation
import SQLiteStore

extension Command {
    /// Copies the store while it is served.
    static let backup = Command(
        name: "backup",
        uses: [
            ("PATH", "copy the store to a new file, while it is served or not"),
            ("DIRECTORY --keep N", "the same, to a file named by the time, of which the latest N are kept"),
        ],
        options: [
            ProgramOption(
                "keep", "N", \.own.keep, in: 1...Int(Int32.max), else: "", "how many copies to keep there", code: "–")
        ], isOperand: isFile
    ) { options in
        guard let target = options.operand else {
            throw UsageError(
                "backup needs the file to write, or a directory and how many copies to keep there: "
                    + "\(options.program.name) backup PATH|DIRECTORY [--keep N] [--store sqlite:PATH]")
        }
        let source = try options.file(or: "cannot be backed up")
        var isDirectory: ObjCBool = false
        guard FileManager.default.fileExists(atPath: target, isDirectory: &isDirectory), isDirectory.boolValue else {
            guard options.own.keep == nil else { throw UsageError("--keep needs a directory, which \(target) is not") }
            try await SQLiteStore.backup(from: source, to: target)
            try Console.print("\(source) copied to \(target)")
            return
        }
        guard let kept = options.own.keep else {
            throw UsageError("\(target) is a directory: say --keep N, how many copies to keep there")
        }
        let (copy, removed) = try await SQLiteStore.backup(from: source, into: target, keeping: kept)
        try Console.print("\(source) copied to \(copy)" + removed.map { "\n\($0) removed" }.joined())
    }

    /// Whether a word may name a file.
    package static func isFile(_ word: String) -> Bool { !word.isEmpty && !word.hasPrefix("--") }
}
