import Foundation
import Sessions
import TestSupport
import Testing

@testable import SQLiteStore

@Suite("One store a file")
struct LockTests {
    @Test("a second store of a file is refused, and told who has it; when the first is closed it may")
    func sameProcess() async throws {
        try await withBench { bench in
            let first = try bench.open()
            let refusal = await refusal { _ = try bench.open() }
            #expect(refusal?.code == .inUse)
            #expect(
                refusal?.description == "\(bench.path) is in use by this process itself; "
                    + "close the store that has it first.")
            // The first has not lost anything by it.
            try await first.commit(Steps().creation())
            await first.close()
            await (try bench.open()).close()
        }
    }

    @Test("a store of another process is respected, until that is killed")
    func otherProcess() async throws {
        try await withBench { bench in
            let child = try Child(ofPackage: "store-child", "hold", bench.path)
            #expect(child.line() == "open")
            let refusal = await refusal { _ = try bench.open() }
            #expect(refusal?.code == .inUse)
            #expect(refusal?.description.contains("process \(child.identifier);") == true)
            child.kill()
            await (try bench.open()).close()
        }
    }

    @Test("a store that was dropped without being closed lets go of its file")
    func dropped() async throws {
        try await withBench { bench in
            _ = try bench.open()
            // Its thread needs a moment of its own, and nobody waits for it.
            let isFree = await eventually { (try? FileLock(of: bench.path)) != nil }
            #expect(isFree)
        }
    }

    @Test("a store whose lock file was deleted stores nothing more, since another may have the file by now")
    func deletedLock() async throws {
        try await withBench { bench in
            let steps = Steps()
            let store = try bench.open()
            try await store.commit(steps.creation())
            try FileManager.default.removeItem(atPath: bench.path + "-lock")
            await #expect(throws: StoreFailure.notSent) { try await store.commit(steps.step(from: 0)) }
            #expect(await !store.isReady())
            #expect(bench.told.first?.contains("lock file beside it was moved or deleted") == true)
            let other = try bench.open()
            try await other.commit(steps.step(from: 0))
            await #expect(throws: StoreFailure.notSent) { try await store.commit(steps.step(from: 0)) }
            await store.close()
            #expect(try await other.load(steps.id)?.head.seq == 1)
            await other.close()
        }
    }

    @Test("a store that could not be opened lets go of its file")
    func refused() async throws {
        try await withBench { bench in
            try Data("diary".utf8).write(to: URL(fileURLWithPath: bench.path))
            #expect(await refusal { _ = try bench.open() }?.code == .notBindery)
            #expect(await refusal { _ = try bench.open() }?.code == .notBindery)
        }
    }
}
