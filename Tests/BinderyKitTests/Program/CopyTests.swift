import Foundation
import SQLiteStore
import Sessions
import TestSupport
import Testing

@testable import BinderyKit
@testable import bindery

@Suite("bindery copy")
struct CopyTests {
    @Test("makes no store where there is none to copy, and clears what a copy left that was broken off")
    func copies() async throws {
        try await withTemporaryDirectory { directory in
            let (from, to) = (directory + "/from.db", directory + "/to.db")
            let arguments = ["copy", "--from", "sqlite:" + from, "--to", "sqlite:" + to]
            await #expect(throws: SQLiteStoreError.self) { try await Bindery.run(arguments, [:]) }
            #expect(try FileManager.default.contentsOfDirectory(atPath: directory).isEmpty)

            let source = try SQLiteStore(path: from)
            for _ in 0..<3 { try await source.commit(Steps().creation()) }
            await source.close()
            let part = try SQLiteStore(path: to, purpose: .target)
            try await part.noteFilling(from: from)
            try await part.commit(Steps().creation())
            await part.close()
            try await Bindery.run(arguments, [:])
            let copy = try SQLiteStore(path: to)
            #expect(copy.count() == 3)
            await copy.close()
        }
    }
}
