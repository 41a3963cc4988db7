import Foundation
import Sessions
import TestSupport
import Testing

@testable import SQLiteStore

@Suite("A store that links lead to")
struct LinkTests {
    private let steps = Steps()

    /// A directory `shared`, and one beside it with links to what is to be in it, as a deployment's releases have them.
    private func withLinks(_ body: (_ bench: Bench, _ links: [String]) async throws -> Void) async throws {
        try await withBench { bench in
            let files = FileManager.default
            for name in ["shared", "release"] {
                try files.createDirectory(
                    atPath: bench.directory + "/" + name, withIntermediateDirectories: false)
            }
            let shared = Bench(directory: bench.directory + "/shared")
            let release = bench.directory + "/release"
            try files.createSymbolicLink(atPath: release + "/1.db", withDestinationPath: "../shared/bindery.db")
            try files.createSymbolicLink(atPath: release + "/2.db", withDestinationPath: release + "/1.db")
            try files.createSymbolicLink(atPath: release + "/current", withDestinationPath: "../shared")
            try await body(shared, [release + "/1.db", release + "/2.db", release + "/current/bindery.db"])
        }
    }

    @Test("a second store of it is refused, by whichever links the two come, also where the first has made the file")
    func lock() async throws {
        for isThere in [false, true] {
            try await withLinks { bench, links in
                if isThere { try await bench.prepare(steps) }
                for first in links {
                    let store = try SQLiteStore(path: first, settings: bench.settings)
                    #expect(store.path == bench.path)
                    for second in links + [bench.path] {
                        let refusal = await refusal { _ = try SQLiteStore(path: second, settings: bench.settings) }
                        #expect(refusal?.code == .inUse)
                        #expect(refusal?.description.hasPrefix("\(bench.path) is in use") == true)
                    }
                    await store.close()
                }
            }
        }
    }

    @Test("a store of another process is respected that came by another link")
    func otherProcess() async throws {
        try await withLinks { bench, links in
            let child = try Child(ofPackage: "store-child", "hold", links[0])
            #expect(child.line() == "open")
            #expect(await refusal { _ = try SQLiteStore(path: links[1], settings: bench.settings) }?.code == .inUse)
            child.kill()
        }
    }

    @Test("a link that leads to no file gives one for its owner alone, and all that belongs to it lies beside that")
    func dangling() async throws {
        try await withLinks { bench, links in
            let store = try SQLiteStore(path: links[1], settings: bench.settings)
            try await store.commit(steps.creation())
            let names = ["bindery.db", "bindery.db-lock", "bindery.db-shm", "bindery.db-wal"]
            #expect(try FileManager.default.contentsOfDirectory(atPath: bench.directory).sorted() == names)
            for name in names {
                let attributes = try FileManager.default.attributesOfItem(atPath: bench.directory + "/" + name)
                #expect(attributes[.posixPermissions] as? Int == 0o600, "\(name)")
            }
            await store.close()
            let others = try FileManager.default.contentsOfDirectory(atPath: bench.directory + "/../release")
            #expect(others.sorted() == ["1.db", "2.db", "current"])
        }
    }

    @Test("a link into a directory that is not there, or in a circle, is refused, and nothing is made beside it")
    func nowhere() async throws {
        try await withBench { bench in
            let files = FileManager.default
            let target = bench.directory + "/none/bindery.db"
            try files.createSymbolicLink(atPath: bench.path, withDestinationPath: target)
            let missing = await refusal { _ = try bench.open() }
            #expect(
                missing?.description
                    == "\(target)-lock cannot be opened: No such file or directory. Make the directory \(bench.directory)/none, "
                    + "or choose another file.")
            #expect(try files.contentsOfDirectory(atPath: bench.directory) == ["bindery.db"])
            try files.removeItem(atPath: bench.path)
            try files.createSymbolicLink(atPath: bench.path, withDestinationPath: "bindery.db")
            let circle = await refusal { _ = try bench.open() }
            #expect(circle?.code == .inaccessible)
            #expect(circle?.description.hasSuffix("Too many levels of symbolic links.") == true)
        }
    }

    @Test("a restore by a link puts the backup where the link leads; it is refused while the store is served")
    func restore() async throws {
        try await withLinks { bench, links in
            try await bench.prepare(steps)
            let backup = bench.directory + "/backup.db"
            let store = try bench.open()
            try await SQLiteStore.backup(from: links[1], to: backup)
            try await store.commit(steps.step(from: 1))
            for link in links {
                let refusal = await refusal { try await SQLiteStore.restore(from: backup, to: link) }
                #expect(refusal?.code == .inUse)
            }
            await store.close()
            for (link, place) in zip(links, [".before-restore", ".before-restore.2", ".before-restore.3"]) {
                let kept = try await SQLiteStore.restore(from: backup, to: link)
                #expect(kept == bench.path + place)
            }
            for link in links.prefix(2) {
                let type = try FileManager.default.attributesOfItem(atPath: link)[.type] as? FileAttributeType
                #expect(type == .typeSymbolicLink)
            }
            let restored = try SQLiteStore(path: links[0], settings: bench.settings)
            #expect(try await restored.load(steps.id)?.head.seq == 1)
            await restored.close()
        }
    }

    @Test("a restore that was interrupted is found by a link too: no copy of the store is made, nor is it checked")
    func unfinished() async throws {
        try await withLinks { bench, links in
            try await bench.prepare(steps)
            try FileManager.default.moveItem(atPath: bench.path, toPath: bench.path + ".restored")
            for link in links {
                let copy = await refusal {
                    try await SQLiteStore.backup(from: link, to: bench.directory + "/copy.db")
                }
                #expect(copy?.description.contains("a restore to it was interrupted") == true)
                let check = await refusal { _ = try await SQLiteStore.check(link, for: []) }
                #expect(check?.description.contains("a restore to it was interrupted") == true)
            }
            let store = try SQLiteStore(path: links[0], settings: bench.settings)
            #expect(try await store.load(steps.id)?.head.seq == 1)
            await store.close()
        }
    }

    @Test("a hard link is refused, by either name, and left as it is; when the other is gone, the file is served")
    func hardLink() async throws {
        try await withBench { bench in
            try await bench.prepare(steps)
            let other = bench.directory + "/other.db"
            try FileManager.default.linkItem(atPath: bench.path, toPath: other)
            let before = try bench.contents()
            for path in [bench.path, other] {
                let refusal = await refusal { _ = try SQLiteStore(path: path, settings: bench.settings) }
                #expect(refusal?.code == .hardLinked)
                #expect(refusal?.description.hasPrefix("\(path) is one of 2 names of one file (hard links);") == true)
                #expect(refusal?.description.contains("'find DIR -samefile \(path)'") == true)
            }
            #expect(try bench.contents() == before)
            unlink(other)
            let store = try bench.open()
            #expect(try await store.load(steps.id)?.head.seq == 1)
            await store.close()
        }
    }
}
