/// The declaration of a view model: its name, and in declared order its outputs, actions, effects, facets and reactions.
///
/// A server checks it at start; see ``DeclarationFault``.
public struct Interface<Root: Hostable>: Sendable {
    /// The name: the first segment of the path, the topic, and the key in the store.
    public let name: String
    /// One sentence on the purpose, for the OpenAPI description.
    public let summary: String
    /// What clients read.
    public let outputs: [Output<Root>]
    /// What clients ask for.
    public let actions: [Action<Root>]
    /// What actions start.
    public let effects: [Effect<Root>]
    /// Named subsets of the outputs.
    public let facets: [Facet]
    @usableFromInline let reactions: [On<Root>]

    /// Declares a view model.
    ///
    /// - Parameter name: 1 to 64 of `a-z`, `A-Z`, `0-9` and `-`, a letter first, as all names of an interface.
    public init(_ name: String, _ summary: String = "", @InterfaceBuilder<Root> members: () -> InterfaceMembers<Root>) {
        (self.name, self.summary) = (name, summary)
        let members = members()
        (outputs, actions) = (members.outputs, members.actions)
        (effects, facets, reactions) = (members.effects, members.facets, members.reactions)
    }

    /// The place of the output that shows a property; nil where no output has this key path.
    package func output(at path: PartialKeyPath<Root>) -> Int? {
        outputs.firstIndex { path == $0.path as PartialKeyPath<Root>? }
    }
}

/// The members of an ``Interface``.
public struct InterfaceMembers<Root: Hostable>: Sendable {
    var outputs: [Output<Root>] = []
    var actions: [Action<Root>] = []
    var effects: [Effect<Root>] = []
    var facets: [Facet] = []
    var reactions: [On<Root>] = []
}

/// Lets an ``Interface`` be written as a list.
@resultBuilder
public enum InterfaceBuilder<Root: Hostable> {
    /// Takes an output.
    public static func buildExpression(_ output: Output<Root>) -> InterfaceMembers<Root> { .init(outputs: [output]) }
    /// Takes an action.
    public static func buildExpression(_ action: Action<Root>) -> InterfaceMembers<Root> { .init(actions: [action]) }
    /// Takes an effect.
    public static func buildExpression(_ effect: Effect<Root>) -> InterfaceMembers<Root> { .init(effects: [effect]) }
    /// Takes a facet.
    public static func buildExpression(_ facet: Facet) -> InterfaceMembers<Root> { .init(facets: [facet]) }
    /// Takes a reaction.
    public static func buildExpression(_ on: On<Root>) -> InterfaceMembers<Root> { .init(reactions: [on]) }
    /// Joins the members.
    public static func buildBlock(_ parts: InterfaceMembers<Root>...) -> InterfaceMembers<Root> {
        InterfaceMembers(
            outputs: parts.flatMap(\.outputs), actions: parts.flatMap(\.actions), effects: parts.flatMap(\.effects),
            facets: parts.flatMap(\.facets), reactions: parts.flatMap(\.reactions))
    }
}
