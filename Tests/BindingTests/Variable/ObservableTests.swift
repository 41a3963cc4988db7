import Binding
import Foundation
import Observation
import Testing

/// Protects files that import Observation too.
@Suite("Beside the Observation framework")
struct ObservableTests {
    @Test("an @Observable class posts its properties like any plain object, in a file that imports both")
    func observable() {
        let center = NotificationCenter()
        let orientation = Orientation()
        var seen: [Bool] = []
        center.observe(orientation, \.isLandscape) { seen.append($0) }
        orientation.isLandscape = true
        center.post(\Orientation.isLandscape, of: orientation)
        #expect(seen == [false, true])
    }
}

// The macro writes `Observation.Observable`: no type of the library may be called Observation, or it would be meant.
@Observable
private final class Orientation {
    var isLandscape = false
}
