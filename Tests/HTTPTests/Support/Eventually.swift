import Foundation
import Testing

/// Waits until something that has no event of its own holds; fails after a minute.
func eventually(
    _ what: Comment, sourceLocation: SourceLocation = #_sourceLocation, _ holds: () -> Bool
) async {
    let deadline = ContinuousClock.now + .seconds(60)
    while !holds() {
        guard ContinuousClock.now < deadline else {
            Issue.record(what, sourceLocation: sourceLocation)
            return
        }
        await Task.yield()
    }
}
