/// A target as ordinary as they come: a class that is not Sendable.
final class Label {
    var text = ""
    var caption: String?
    var count = 0
}

/// A target of the main actor.
@MainActor
final class MainLabel {
    var text = ""
}

/// Says when it goes away.
final class Witness: Sendable {
    private let onDeinit: @Sendable () -> Void

    init(onDeinit: @escaping @Sendable () -> Void = {}) {
        self.onDeinit = onDeinit
    }

    deinit {
        onDeinit()
    }
}
