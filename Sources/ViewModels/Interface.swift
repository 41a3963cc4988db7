/// The declaration of a view model: its name, outputs, actions, effects, facets and reactions.
///
/// A server checks it at start; see ``DeclarationFault``.
public struct Interface<Root: Hostable>: Sendable {
    /// The name: the first segment of the path, the topic, and the key in the store.
    public private(set) var name = ""
    /// One sentence on the purpose, for the OpenAPI description.
    public private(set) var summary = ""
    /// The values that clients read, in declared order.
    public private(set) var outputs: [Output<Root>] = []
    /// The inputs that clients send, in declared order.
    public private(set) var actions: [Action<Root>] = []
    /// The work and the timers that actions start.
    public private(set) var effects: [Effect<Root>] = []
    /// Named subsets of the outputs.
    public private(set) var facets: [Facet] = []
    @usableFromInline private(set) var reactions: [On<Root>] = []
}

extension Interface {
    /// Declares a view model.
    ///
    /// - Parameter name: 1 to 64 of `a-z`, `A-Z`, `0-9` and `-`, a letter first, like all names of an interface.
    public init(_ name: String, _ summary: String = "", @InterfaceBuilder<Root> members: () -> Interface<Root>) {
        self = members()
        (self.name, self.summary) = (name, summary)
    }

    /// The index of the output with this key path; nil if there is none.
    package func output(at path: PartialKeyPath<Root>) -> Int? {
        outputs.firstIndex { path == $0.path as PartialKeyPath<Root>? }
    }
}

/// Builds an ``Interface`` from a list of members; each member is first an interface without a name.
@resultBuilder
public enum InterfaceBuilder<Root: Hostable> {
    /// Takes an output.
    public static func buildExpression(_ output: Output<Root>) -> Interface<Root> { .init(outputs: [output]) }
    /// Takes an action.
    public static func buildExpression(_ action: Action<Root>) -> Interface<Root> { .init(actions: [action]) }
    /// Takes an effect.
    public static func buildExpression(_ effect: Effect<Root>) -> Interface<Root> { .init(effects: [effect]) }
    /// Takes a facet.
    public static func buildExpression(_ facet: Facet) -> Interface<Root> { .init(facets: [facet]) }
    /// Takes a reaction.
    public static func buildExpression(_ on: On<Root>) -> Interface<Root> { .init(reactions: [on]) }
    /// Joins the members.
    public static func buildBlock(_ parts: Interface<Root>...) -> Interface<Root> {
        Interface(
            outputs: parts.flatMap(\.outputs), actions: parts.flatMap(\.actions), effects: parts.flatMap(\.effects),
            facets: parts.flatMap(\.facets), reactions: parts.flatMap(\.reactions))
    }
}
