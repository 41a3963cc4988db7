import Foundation
import Testing

/// Waits until something that has no event of its own holds; fails after four minutes, as `StandIns` does: under a sanitizer the tests beside it may take the pool for one.
func eventually(
    _ what: Comment, sourceLocation: SourceLocation = #_sourceLocation, _ holds: () -> Bool
) async {
    let deadline = ContinuousClock.now + .seconds(240)
    while !holds() {
        guard ContinuousClock.now < deadline else {
            Issue.record(what, sourceLocation: sourceLocation)
            return
        }
        await Task.yield()
    }
}
