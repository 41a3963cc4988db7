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
