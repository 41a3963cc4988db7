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

    /// The version of the model that this build stores, ``StoredModel/version``.
    public let version: Int

    private let instance: @Sendable (ViewModelContext, StoredText?) throws(ModelUnreadable) -> any HostedViewModel

    private let reading: @Sendable (StoredText) throws(ModelUnreadable) -> ModelReading

    /// A stored model and the version that stored it.
    private typealias StoredText = (model: [UInt8], version: Int)

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
        let name = interface.name
        version = Owner.Model.version
        precondition(version >= 1, "\(name) has a model of version \(Owner.Model.version): the first is 1.")
        reading = { stored throws(ModelUnreadable) in
            try Owner.Model.read(stored.model, storedBy: stored.version, for: name).reading
        }
        instance = { context, stored throws(ModelUnreadable) in
            let read = try stored.map { stored throws(ModelUnreadable) in
                try Owner.Model.read(stored.model, storedBy: stored.version, for: name)
            }
            let notice = ChangeNotice()
            var context = context
            context.notice = notice
            return Host(
                make(read?.model ?? Owner.Model(), context), context: context, notice: notice, kept: read?.kept,
                version: max(stored?.version ?? 1, Owner.Model.version))
        }
    }

    /// Reads a stored model without making a view model of it.
    ///
    /// - Parameter stored: the version that the model was stored by; this build's where nil.
    /// - Throws: ``ModelUnreadable``.
    package func read(_ model: [UInt8], storedBy stored: Int? = nil) throws(ModelUnreadable) -> ModelReading {
        try reading((model, stored ?? version))
    }

    /// Makes an instance for a session.
    ///
    /// - Parameters:
    ///   - context: the session it will live in.
    ///   - model: the stored model as JSON text, or nil for one that was never stored.
    ///   - stored: the version that the model was stored by; this build's where nil.
    /// - Throws: ``ModelUnreadable`` where the stored text is no model of this type, as ``StoredModel`` says.
    public func make(
        in context: ViewModelContext, from model: [UInt8]? = nil, storedBy stored: Int? = nil
    ) throws(ModelUnreadable) -> any HostedViewModel {
        try instance(context, model.map { ($0, stored ?? version) })
    }
}
