import Foundation
import Testing

/// Waits until something that has no event of its own holds; fails after ten seconds.
func eventually(
    _ what: Comment, sourceLocation: SourceLocation = #_sourceLocation, _ holds: () -> Bool
) async {
    let deadline = ContinuousClock.now + .seconds(10)
    while !holds() {
        guard ContinuousClock.now < deadline else {
            Issue.record(what, sourceLocation: sourceLocation)
            return
        }
        await Task.yield()
    }
}
