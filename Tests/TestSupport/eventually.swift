/// Lets other tasks run until a condition holds, where there is no event to wait for.
///
/// - Returns: whether it holds; false only after four minutes, which a correct program needs under no load.
package func eventually(_ condition: () async throws -> Bool) async rethrows -> Bool {
    let start = ContinuousClock.now
    while ContinuousClock.now - start < .seconds(240) {
        if try await condition() { return true }
        await Task.yield()
    }
    return try await condition()
}
