import BinderyKit

/// A text of a length that an action sets.
final class BigText: ViewModel {
    /// Each change makes another text, though the length be the same.
    struct Model: StoredModel {
        var length = 0
        var changes = 0
    }

    /// What the action is told.
    struct Size: Codable, Sendable {
        var length: Int
    }

    static let longest = 1_048_576

    static let interface = Interface<BigText>("big", "A text as long as it is told to be.") {
        Output("text", \.text, "The number of changes, made up to the length.")
        Action("fill", "Makes another text.", example: Size(length: 65536), BigText.fill)
            .refusing(.invalid, "The length is too large, or below zero.")
    }

    // Inputs

    func fill(_ size: Size) throws {
        guard 0...Self.longest ~= size.length else {
            throw ActionRefusal.invalid("The length is 0 to \(Self.longest).", at: \.length, of: size)
        }
        model.length = size.length
        model.changes += 1
    }

    // Outputs

    var text: String {
        let number = String(model.changes)
        return number + String(repeating: ".", count: max(0, model.length - number.utf8.count))
    }

    // Wiring

    private(set) var model: Model
    init(model: Model) { self.model = model }
}
