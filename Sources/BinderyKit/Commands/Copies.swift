import Foundation
import SQLiteStore

// Copies of a store in a file: backup and restore.

extension Command {
    static let backup = Command(
        "backup", "copy the store to a new file, while it is served or not", words: "PATH",
        options: [.store]
    ) { options in
        let (path, target) = (try options.file(orSay: "cannot be backed up by this command"), options.operands[0])
        try SQLiteStore.backup(path, to: target)
        try Console.print("\(path) copied to \(target)")
    }

    static let restore = Command(
        "restore", "put a backup in the place of the store, which is kept aside", words: "BACKUP",
        options: [.store]
    ) { options in
        let (path, source) = (try options.file(orSay: "cannot be restored by this command"), options.operands[0])
        let kept = try SQLiteStore.restore(from: source, to: path)
        let remark = kept.map { "the store from before is kept as \($0)" } ?? "there was no store before"
        try Console.print("\(source) restored to \(path); \(remark)")
    }
}
