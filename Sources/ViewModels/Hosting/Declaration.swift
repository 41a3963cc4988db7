/// A view model type as the rest of the house sees it: what it declares, and how to make an instance.
public struct Declaration: Sendable {
    /// The view model's name.
    public let name: Name
    /// What it is for, one sentence.
    public let summary: String
    /// What it shows, in declared order.
    public let outputs: [OutputDeclaration]
    /// The names of the outputs, in declared order.
    public let outputNames: [Name]
    /// What can be asked of it, in declared order.
    public let actions: [ActionDeclaration]
    /// Its narrower faces, in declared order.
    public let facets: [FacetDeclaration]

    private let instance: @Sendable (ViewModelContext, [UInt8]?) throws -> any HostedViewModel

    /// Lists a view model.
    ///
    /// - Parameter make: builds an instance from a model, for a session. Called again whenever the session's view
    ///   models are rebuilt; equal models must give equal outputs.
    public init<Owner: ViewModel>(
        _ type: Owner.Type, make: @escaping @Sendable (Owner.Model, ViewModelContext) -> Owner
    ) {
        let interface = Owner.interface
        name = interface.name
        summary = interface.summary
        outputs = interface.outputs.map {
            OutputDeclaration(name: $0.name, summary: $0.summary, schema: $0.schema)
        }
        outputNames = interface.outputs.map(\.name)
        actions = interface.actions.map {
            ActionDeclaration(name: $0.name, summary: $0.summary, input: $0.input)
        }
        facets = interface.facets.map { facet in
            FacetDeclaration(
                name: facet.name, summary: facet.summary,
                outputs: facet.outputs.compactMap { name in interface.outputs.firstIndex { $0.name == name } })
        }
        instance = { context, stored in
            let model = try stored.map { try JSON.decode(Owner.Model.self, from: $0) } ?? Owner.Model()
            let notice = ChangeNotice()
            var context = context
            context.notice = notice
            return Host(make(model, context), context: context, notice: notice)
        }
    }

    /// Makes an instance for a session.
    ///
    /// - Parameters:
    ///   - context: the session it will live in.
    ///   - model: the stored model as JSON text, or nil for one that was never stored.
    /// - Throws: `DecodingError` where the stored text is no model of this type.
    public func make(in context: ViewModelContext, from model: [UInt8]? = nil) throws -> any HostedViewModel {
        try instance(context, model)
    }
}
