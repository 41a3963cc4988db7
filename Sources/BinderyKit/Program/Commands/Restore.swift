import SQLiteStore

extension Command {
    /// Puts a backup where the store is, or was.
    static let restore = Command(
        name: "restore", uses: [("BACKUP", "put a backup where the store is; what is there is kept aside")],
        isOperand: isFile
    ) { options in
        guard let source = options.operand else {
            throw UsageError(
                "restore needs the backup to take: \(options.program.name) restore BACKUP [--store sqlite:PATH]")
        }
        let target = try options.file(or: "cannot be restored")
        let kept = try await SQLiteStore.restore(from: source, to: target)
        let remark = kept.map { "the store from before is kept as \($0)" } ?? "there was no store before"
        try Console.print("\(source) restored to \(target); \(remark)")
    }
}
