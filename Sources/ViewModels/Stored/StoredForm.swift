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
