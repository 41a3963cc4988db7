import Binding

/// The declaration of a view model: its name, outputs, actions and facets, in the order in which they are written.
///
/// ```swift
/// public static let interface = Interface<CounterViewModel>("counter") {
///     Output("text", \.text)
///     Action("increment", CounterViewModel.increment)
/// }
/// ```
/// What keeps a server from starting that hosts one is listed at ``DeclarationFault``.
public struct Interface<Owner: ViewModel>: Sendable {
    /// The view model's name: its path, its topic, its key in the store.
    public let name: Name
    /// One sentence on what the view model is for, shown in the OpenAPI description.
    public let summary: String
    let outputs: [Output<Owner>]
    let actions: [Action<Owner>]
    let facets: [Facet<Owner>]
    // By themselves, since to fetch one from its output or action copies all that it has.
    let encoders: [@Sendable (Owner) throws -> [UInt8]]
    let works: [Action<Owner>.Work]
    /// The outputs as a client names them.
    let presentation: Presentation<Owner>

    /// Declares a view model.
    public init(
        _ name: String, _ summary: String = "",
        @InterfaceBuilder<Owner> members: () -> [InterfaceMember<Owner>]
    ) {
        self.name = Name(declared: name)
        self.summary = summary
        let members = members()
        outputs = members.compactMap { if case .output(let output) = $0 { output } else { nil } }
        actions = members.compactMap { if case .action(let action) = $0 { action } else { nil } }
        facets = members.compactMap { if case .facet(let facet) = $0 { facet } else { nil } }
        encoders = outputs.map(\.encode)
        works = actions.map(\.work)
        presentation = Presentation(name: self.name, outputs.map(\.shown))
    }

    /// The names of the outputs, in declared order.
    package var outputNames: [Name] { outputs.map(\.name) }

    /// What is wrong with it, in a clause that follows the view model's name; nil for nothing.
    package var fault: String? {
        if let malformedName { return malformedName }
        if outputs.isEmpty { return "declares no output: there would be nothing to show" }
        if let (name, other) = Name.twins(in: outputs.map(\.name)) {
            return name == other
                ? "declares the output \(name) twice" : "declares the outputs \(Name.alike(name, other))"
        }
        if let (name, other) = Name.twins(in: actions.map(\.name) + facets.map(\.name)) {
            return name == other
                ? "declares two actions or facets called \(name), which would share a path"
                : "declares the actions or facets \(Name.alike(name, other))"
        }
        var kinds: [String: ActionRefusal.Kind] = [:]
        for action in actions {
            for declared in action.refusals {
                let kind = declared.kind
                let refusal = "declares the refusal \"\(kind.type)\" of \(action.name)"
                if let fault = kind.declaredFault { return "\(refusal), which \(fault)" }
                if declared.summary.allSatisfy(\.isWhitespace) {
                    return "\(refusal) without a summary; say in one sentence when it is"
                }
                guard let other = kinds.updateValue(kind, forKey: kind.type.lowercased()), other != kind else {
                    continue
                }
                return other.type == kind.type
                    ? "\(refusal) with another status or title than before; make it one kind"
                    : "\(refusal), which differs from \"\(other.type)\" in case alone; make it one kind"
            }
            if let kind = action.refusals.map(\.kind).first(where: { kind in
                action.refusals.count { $0.kind == kind } > 1
            }) {
                return "declares the refusal \"\(kind.type)\" of \(action.name) twice; say both in one sentence"
            }
        }
        return facets.lazy.compactMap(fault).first
    }

    /// The first name that is none, and what was to be called by it, told by its place: it has no name to be known by.
    private var malformedName: String? {
        let rule = "a name is 1 to 64 of a-z, A-Z, 0-9 and -, a letter first"
        if name.isMalformed { return "has \"\(name)\" for its name: \(rule)" }
        let kinds = [
            ("output", outputs.map(\.name)), ("action", actions.map(\.name)), ("facet", facets.map(\.name)),
        ]
        for (kind, names) in kinds {
            guard let place = names.firstIndex(where: \.isMalformed) else { continue }
            let neighbour = place == 0 ? "" : ", behind \(names[place - 1])"
            return "has \"\(names[place])\" for the name of \(kind) \(place + 1) of \(names.count)\(neighbour): \(rule)"
        }
        return nil
    }

    private func fault(of facet: Facet<Owner>) -> String? {
        guard !facet.outputs.isEmpty else {
            return "declares a facet \(facet.name) of no output: there would be nothing to show"
        }
        if let output = facet.outputs.first(where: { name in !outputs.contains { $0.name == name } }) {
            return "declares a facet \(facet.name) of \"\(output)\", which is no output of it"
        }
        return Name.twins(in: facet.outputs).map { "declares a facet \(facet.name) that shows \($0.1) twice" }
    }
}

/// One line of an interface.
public enum InterfaceMember<Owner: ViewModel>: Sendable {
    /// Something to read.
    case output(Output<Owner>)
    /// Something to ask for.
    case action(Action<Owner>)
    /// A narrower face.
    case facet(Facet<Owner>)
}

/// Lets an ``Interface`` be written as a list of outputs, actions and facets.
@resultBuilder
public enum InterfaceBuilder<Owner: ViewModel> {
    /// Takes a line that declares an output.
    public static func buildExpression(_ output: Output<Owner>) -> InterfaceMember<Owner> { .output(output) }
    /// Takes a line that declares an action.
    public static func buildExpression(_ action: Action<Owner>) -> InterfaceMember<Owner> { .action(action) }
    /// Takes a line that declares a facet.
    public static func buildExpression(_ facet: Facet<Owner>) -> InterfaceMember<Owner> { .facet(facet) }
    /// Joins the lines.
    public static func buildBlock(_ members: InterfaceMember<Owner>...) -> [InterfaceMember<Owner>] { members }
}

/// A named, typed value of a view model's presentation state.
public struct Output<Owner: ViewModel>: Sendable {
    /// The member's name in the view model's JSON object.
    public let name: Name
    /// One sentence on what the value means, shown in the OpenAPI description.
    public let summary: String
    /// The shape of the encoded value.
    public let schema: JSONSchema
    /// Why the shape is not known.
    let fault: SchemaFault?
    /// The value as JSON text.
    let encode: @Sendable (Owner) throws -> [UInt8]
    /// Which variable holds it; nil for a plain property, which is compared instead.
    let variable: (@Sendable (Owner) -> any ReadableVariable)?
    /// As a client names it.
    let shown: ShownOutput<Owner>

    /// Declares an output held in a variable, or in a constant, its read-only face.
    ///
    /// - Parameters:
    ///   - path: where the view model keeps it; the same object for the view model's whole life.
    ///   - summary: what the value means, one sentence.
    public init<Value: Codable & Sendable>(
        _ name: String, _ path: KeyPath<Owner, some ReadableVariable<Value>> & Sendable, _ summary: String = ""
    ) {
        self.name = Name(declared: name)
        self.summary = summary
        (schema, fault) = FoundType.of(Value.self).shown.orAnything
        encode = { try JSON.encode($0[keyPath: path].value) }
        variable = { $0[keyPath: path] }
        shown = ShownOutput(self.name, path, Value.self)
    }

    /// Declares an output that is a plain property: stored, computed, or observed as `@Observable` classes have them.
    ///
    /// It posts nothing; it is encoded and compared after each turn in which its view model acted.
    public init<Value: Codable & Sendable>(
        _ name: String, _ path: KeyPath<Owner, Value> & Sendable, _ summary: String = ""
    ) {
        self.name = Name(declared: name)
        self.summary = summary
        (schema, fault) = FoundType.of(Value.self).shown.orAnything
        encode = { try JSON.encode($0[keyPath: path]) }
        variable = nil
        shown = ShownOutput(self.name, path, Value.self)
    }
}

/// A named, narrower face of a view model: some of its outputs, for a child view that must not see the rest.
public struct Facet<Owner: ViewModel>: Sendable {
    /// The last segment of the facet's path and topic.
    public let name: Name
    /// One sentence on whom the facet is for, shown in the OpenAPI description.
    public let summary: String
    /// The outputs it shows, in the order in which it shows them.
    public let outputs: [Name]

    /// Declares a facet.
    ///
    /// - Parameter outputs: names that the same interface declares as outputs, at least one, and each once.
    public init(_ name: String, _ summary: String = "", showing outputs: String...) {
        self.name = Name(declared: name)
        self.summary = summary
        self.outputs = outputs.map(Name.init(declared:))
    }
}
