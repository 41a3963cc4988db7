import Foundation
import Sessions

/// The dated copies of one store in a directory, of which the latest are kept.
struct DatedBackups {
    /// The store's file, absolute and without links.
    let source: String
    /// Where the copies are, absolute.
    let directory: String
    /// How many of them are kept, the new one among them; 1 or more.
    let kept: Int

    /// Makes a copy under a name of its time, and removes the oldest.
    ///
    /// Removed are files that have a name as this one gives it, and no others; and only when the new copy is there, checked.
    func run(at time: TimeOfDay) throws(SQLiteStoreError) -> (copy: String, removed: [String]) {
        let copy = path(of: name(at: time))
        try Backup(source: source, target: copy).run()
        let old = try names().dropLast(kept).map(path(of:))
        for file in old {
            guard unlink(file) == 0 || errno == ENOENT else { throw .unremoved(file, errno, after: copy) }
        }
        return (copy, old)
    }

    private func path(of name: String) -> String { directory + "/" + name }

    private func name(at time: TimeOfDay) -> String {
        let date = Date(timeIntervalSince1970: Double(time.secondsSince1970))
        return stem + date.formatted(Self.style) + "Z.db"
    }

    /// What stands before the time: `bindery.db` becomes `bindery-20261123T170512Z.db`.
    private var stem: String {
        let name = (source as NSString).lastPathComponent
        return (name.hasSuffix(".db") ? String(name.dropLast(3)) : name) + "-"
    }

    /// ISO 8601 in its basic format, whose order as text is that of time.
    private static let style = Date.ISO8601FormatStyle(dateSeparator: .omitted, timeSeparator: .omitted, timeZone: .gmt)
        .year().month().day().time(includingFractionalSeconds: false)

    /// The names of the copies that are there, the oldest first.
    private func names() throws(SQLiteStoreError) -> [String] {
        do {
            return try FileManager.default.contentsOfDirectory(atPath: directory).filter { name in
                name.hasPrefix(stem) && name.dropFirst(stem.count).wholeMatch(of: /[0-9]{8}T[0-9]{6}Z\.db/) != nil
            }.sorted()
        } catch {
            throw .inaccessible(directory, access(directory, R_OK) == 0 ? EIO : errno)
        }
    }
}

/// A file beside a store, by whose time the server that has the store open knows of the last backup.
enum BackupMark {
    private static func path(of store: String) -> String { store + "-backup" }

    /// Notes that a store was copied now.
    ///
    /// Where nothing may be written beside the store, the copy is good all the same.
    static func set(_ store: String) {
        _ = PrivateFile.create(path(of: store))
        utimensat(AT_FDCWD, path(of: store), nil, 0)
    }

    /// When a store was copied last, in seconds since 1970; nil where that is not known.
    static func time(of store: String) -> Int? {
        var status = stat()
        return stat(path(of: store), &status) == 0 ? status.st_mtim.tv_sec : nil
    }
}
