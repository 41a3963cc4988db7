/// Lets other tasks run until a condition holds; use it only if there is no event to wait for.
///
/// - Returns: whether it holds; false after the limit, which a correct program never reaches, even under load.
package func eventually(
    within limit: Duration = .seconds(240), _ condition: () async throws -> Bool
) async rethrows -> Bool {
    let start = ContinuousClock.now
    while ContinuousClock.now - start < limit {
        if try await condition() { return true }
        await Task.yield()
    }
    return try await condition()
}
