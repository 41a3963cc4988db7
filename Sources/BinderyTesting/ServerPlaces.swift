import Foundation
import Locking

/// As many tests with a server at once as the machine has processors for, eight for each.
///
/// swift-testing begins all tests of a suite together: a thousand servers would have some thousands of threads and files, and be
/// slower for it.
enum ServerPlaces {
    private struct State {
        var free = 8 * ProcessInfo.processInfo.activeProcessorCount
        /// Who waits, the latest first.
        var waiting: [CheckedContinuation<Void, Never>] = []
    }

    /// Whether this task has a place: who runs a second server inside of the first one's test must not wait for himself.
    @TaskLocal private static var isTaken = false
    private static let state = Lock(State())

    /// Runs a test once there is a place for it.
    static func within<Result>(
        isolation: isolated (any Actor)?, _ test: () async throws -> Result
    ) async throws -> Result {
        if isTaken { return try await test() }
        await withCheckedContinuation(isolation: isolation) { continuation in
            let isFree = state.withLock { state in
                let isFree = state.free > 0
                if isFree { state.free -= 1 } else { state.waiting.insert(continuation, at: 0) }
                return isFree
            }
            if isFree { continuation.resume() }
        }
        defer { leave() }
        return try await $isTaken.withValue(true, operation: test, isolation: isolation)
    }

    private static func leave() {
        let next = state.withLock { state in
            let next = state.waiting.popLast()
            if next == nil { state.free += 1 }
            return next
        }
        next?.resume()
    }
}
