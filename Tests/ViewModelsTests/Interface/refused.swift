@testable import ViewModels

/// What a body is refused with, where it is.
func refused<Input: Decodable>(_ body: String, as type: Input.Type) -> ActionRefusal? {
    do {
        _ = try ActionInput.decode(type, from: Array(body.utf8))
        return nil
    } catch {
        return error as? ActionRefusal
    }
}

extension ActionRefusal {
    /// What it says beside its words.
    struct Told: Equatable, Sendable {
        let kind: ActionRefusal.Kind
        var pointer: String?

        static let malformedInput = Told(kind: .malformedInput)
        static func wrongShape(pointer: String) -> Told { Told(kind: .wrongShape, pointer: pointer) }
    }

    var told: Told { Told(kind: kind, pointer: pointer) }
}
