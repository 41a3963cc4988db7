/// What stands in for members that a stored object lacks, as the decoder goes down into a model.
///
/// An object that is a member of a model takes them from its place in the model's `init()`; an element of a list, a value
/// of a dictionary and an optional from its own ``StoredValue/init()``. Either is encoded only when something is missing:
/// mostly nothing is.
final class StoredDefaults {
    /// What all places of one model share.
    private final class Model {
        let isWhole: Bool
        /// The beginnings of the types that were needed so far: a long list asks for the same one again and again.
        var templates: [ObjectIdentifier: JSONNode?] = [:]
        var missing: [ModelReading.Place] = []

        init(isWhole: Bool) { self.isWhole = isWhole }
    }

    private enum Source {
        /// The encoded beginning of a type.
        case beginning(any StoredValue.Type)
        /// A member of another.
        case member(String, of: StoredDefaults)
        /// None: it is for the type that is read there to say.
        case open
    }

    private let model: Model
    private let source: Source
    /// Whether what is read is a dictionary, whose keys may be a user's and are not to be named.
    let isDictionary: Bool
    private lazy var template = makeTemplate()

    private init(_ source: Source, of model: Model, isDictionary: Bool = false) {
        self.source = source
        self.model = model
        self.isDictionary = isDictionary
    }

    /// The defaults of a model.
    ///
    /// - Parameter isWhole: whether every member has to be there, because what is missing was left out on purpose.
    convenience init(of type: any StoredModel.Type, isWhole: Bool) {
        self.init(.beginning(type), of: Model(isWhole: isWhole))
    }

    /// The members that were looked for and are missing.
    var missing: [ModelReading.Place] { model.missing }

    /// Notes that a member is missing.
    func noteMissing(_ name: String, in object: [any CodingKey]) {
        let path = object.map { key in
            (key as? JSONNodeKey)?.hidden ?? (key.intValue == nil ? key.stringValue : JSONNodeKey.any.stringValue)
        }
        model.missing.append(ModelReading.Place(object: path, member: name))
    }

    /// What stands in for a member; nil for nothing.
    func value(of name: String) -> JSONNode? {
        guard case .object(let members)? = template else { return nil }
        return members[name]
    }

    /// Why nothing stands in for a member that has no ``value(of:)``.
    var whyMissing: MissingMember {
        if model.isWhole { return MissingMember(reason: .leftOut) }
        return MissingMember(reason: isOpen ? .missingInElement : .missing)
    }

    /// Whether it is in a place where only the type could say a default, and does not.
    private var isOpen: Bool {
        switch source {
        case .open: true
        case .member(_, let whole): whole.isOpen
        case .beginning: false
        }
    }

    /// The defaults of a member that is itself an object or a list; other values have none.
    func ofMember(_ name: String, _ node: JSONNode) -> StoredDefaults? {
        guard !isDictionary else { return ofElement(node) }
        return node.isNested ? StoredDefaults(.member(name, of: self), of: model) : nil
    }

    /// The defaults of an element of a list, a value of a dictionary or an optional.
    func ofElement(_ node: JSONNode) -> StoredDefaults? { node.isNested ? StoredDefaults(.open, of: model) : nil }

    /// The defaults of this place, now that it is known what type is read there.
    func within(_ type: any Any.Type) -> StoredDefaults {
        // What these hold has no place of its own in a beginning.
        if type is any Wrapping.Type {
            return StoredDefaults(.open, of: model, isDictionary: type is any Keyed.Type)
        }
        if case .open = source, let type = type as? any StoredValue.Type {
            return StoredDefaults(.beginning(type), of: model)
        }
        return self
    }

    private func makeTemplate() -> JSONNode? {
        guard !model.isWhole else { return nil }
        switch source {
        case .open: return nil
        case .member(let name, let whole): return whole.value(of: name)
        case .beginning(let type):
            if let known = model.templates[ObjectIdentifier(type)] { return known }
            let template = Self.beginning(of: type)
            model.templates[ObjectIdentifier(type)] = template
            return template
        }
    }

    private static func beginning(of type: (some StoredValue).Type) -> JSONNode? {
        // One that cannot be encoded stands in for nothing: what is missing is then said to be.
        try? JSONGrammar.read(JSON.encode(type.init()))
    }
}

extension JSONNode {
    fileprivate var isNested: Bool {
        switch self {
        case .object, .array: true
        case .null, .boolean, .number, .string: false
        }
    }
}

private protocol Keyed {}
extension Dictionary: Keyed {}
