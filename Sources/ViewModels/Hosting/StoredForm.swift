/// Reads the stored form of one type of view model.
struct StoredForm<Model: StoredModel>: Sendable {
    /// The part with which each new session begins, without outputs.
    let initial: Part
    private let defaults: JSONValue

    /// - Throws: an error where the model of a new session cannot be stored as a JSON object and read back.
    init() throws {
        let model = Model()
        defaults = try JSONParser.parse(JSON.encode(model))
        guard case .object = defaults else { throw DeclarationFault("it is not stored as a JSON object") }
        _ = try JSONValueDecoder(value: defaults).decode(Model.self)
        initial = Part(model: model, unknown: [], stored: [], outputs: [])
    }

    /// Reads what a version has stored, by the rules of ``StoredModel``; the part has no outputs.
    ///
    /// - Throws: ``ModelUnreadable/Reason``.
    func read(_ text: [UInt8], version: Int) throws -> Part {
        guard version <= Model.version else { throw ModelUnreadable.Reason.newer }
        guard let value = try? JSONParser.parse(text), case .object(var object) = value else {
            throw ModelUnreadable.Reason.notJSON
        }
        if version < Model.version {
            do { try Model.migrate(&object, from: version) } catch { throw ModelUnreadable.Reason.migration }
        }
        let asked = AskedNames()
        do {
            let decoder = JSONValueDecoder(value: .object(object), defaults: defaults, asked: asked)
            let model = try decoder.decode(Model.self)
            var unknown: [UInt8] = []
            object.appendMembers(to: &unknown) { !asked.names.contains($0) }
            return Part(model: model, unknown: unknown, stored: [], outputs: [])
        } catch {
            throw ModelUnreadable.Reason.member(InputFault.path(of: error).first)
        }
    }
}

/// A stored view model that this build cannot read; it never holds what is stored.
public struct ModelUnreadable: Error, Hashable, Sendable, CustomStringConvertible {
    /// What is wrong.
    public enum Reason: Error, Hashable {
        /// This build does not host the view model.
        case notHosted
        /// A later version of the view model stored it.
        case newer
        /// It is not a JSON object.
        case notJSON
        /// The view model's `migrate(_:from:)` threw.
        case migration
        /// A member of the outermost object is missing, or has a value that its type does not read; nil for the object.
        case member(String?)
        /// The outputs cannot be derived from it.
        case outputs
    }

    /// The view model's name.
    public let viewModel: String
    /// What is wrong.
    public let reason: Reason
    /// The version that stored it.
    public let storedVersion: Int
    /// The version of this build.
    public let version: Int

    /// One line for a log or a terminal.
    public var description: String {
        let words =
            switch reason {
            case .notHosted: "this build does not host it"
            case .newer: "a later version stored it"
            case .notJSON: "it is not a JSON object"
            case .migration: "migrate(_:from:) failed"
            case .member(let name): "\(name.map { "the member \($0)" } ?? "it") is missing or has another type"
            case .outputs: "its outputs have no JSON form"
            }
        return "\(viewModel): \(words) (stored by version \(storedVersion), read by version \(version))"
    }
}
