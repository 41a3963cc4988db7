import Binding
import Synchronization

/// What a view model of any type declares, and how to make an instance of it.
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

    /// What is wrong with it, so that it cannot be served: of the interface's own faults the first, and of each shape and example
    /// its own.
    package let faults: [DeclarationFault]

    /// That of them by which no session's model could be stored and read back; nil for none.
    package let modelFault: String?

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
    package init<Owner: ViewModel>(
        _ type: Owner.Type, make: @escaping @Sendable (Owner.Model, ViewModelContext) -> Owner
    ) {
        let interface = Owner.interface
        name = interface.name
        summary = interface.summary
        outputs = interface.outputs.map {
            OutputDeclaration(name: $0.name, summary: $0.summary, schema: $0.schema)
        }
        outputNames = interface.outputNames
        actions = interface.actions.map {
            ActionDeclaration(
                name: $0.name, summary: $0.summary, input: $0.input, refusals: $0.refusals, isAsync: $0.work.isAsync)
        }
        facets = interface.facets.map { facet in
            FacetDeclaration(
                name: facet.name, summary: facet.summary,
                outputs: facet.outputs.compactMap { name in interface.outputs.firstIndex { $0.name == name } })
        }
        let name = interface.name
        version = Owner.Model.version
        modelFault = Owner.Model.beginningFault(for: name)
        let orderFault = SearchedType(Owner.Model.self).orderFault(Owner.Model())
        let faults =
            [interface.fault, version < 1 ? "its model has version \(version): the first is 1" : nil].compactMap(\.self)
            + interface.outputs.compactMap { output in output.fault.map { "the output \(output.name): \($0)" } }
            + interface.actions.compactMap { action in action.input?.fault.map { "the body of \(action.name): \($0)" } }
            + interface.actions.compactMap { action in
                action.input?.exampleFault.map { "the example of \(action.name) \($0)" }
            }
            + [orderFault.map { "the model: \($0)" }, modelFault].compactMap(\.self)
        self.faults = faults.map { fault in
            // What has no name is known by its type.
            name.isMalformed
                ? DeclarationFault(nil, "\(SchemaFault.name(of: Owner.self)): \(fault)") : DeclarationFault(name, fault)
        }
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

    /// The first segments of the paths at which the service answers for itself.
    package static let takenNames: Set<String> = ["bindery", "changes", "livez", "readyz", "session", "sessions"]

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

extension Declaration {
    /// Lists a view model that is made from its model alone, named by its initializer.
    ///
    /// ```swift
    /// try await BinderyServer(viewModels: [.hosting(TicketMachine.init(model:))]).run()
    /// ```
    ///
    /// - Parameter make: builds an instance from a model. Called for each session, and again whenever the session's view
    ///   models are rebuilt; twice in each language for no session, to see what it shows untouched, which is shown in each
    ///   session until an action changes it there. Equal models must give equal outputs.
    public static func hosting<Owner: ViewModel>(_ make: @escaping @Sendable (Owner.Model) -> Owner) -> Declaration {
        Declaration(Owner.self) { model, _ in make(model) }
    }

    /// Lists a view model that wants to know of the session it lives in: its language, its notification center, or a
    /// way to change itself.
    ///
    /// ```swift
    /// .hosting { Stopwatch(model: $0, context: $1, clock: clock) }
    /// ```
    ///
    /// - Parameter make: builds an instance from a model, for a session. Called again whenever the session's view
    ///   models are rebuilt; twice in each language for no session, to see what it shows untouched, which is shown in each
    ///   session until an action changes it there. Equal models must give equal outputs.
    public static func hosting<Owner: ViewModel>(
        _ make: @escaping @Sendable (Owner.Model, ViewModelContext) -> Owner
    ) -> Declaration {
        Declaration(Owner.self, make: make)
    }
}

/// What a view model says of one of its actions.
public struct ActionDeclaration: Sendable {
    /// The last segment of the action's path.
    public let name: Name
    /// What the action does.
    public let summary: String
    /// The body it takes; nil for none.
    public let input: ActionInput?
    /// The refusals it may throw, in declared order.
    public let refusals: [ActionRefusal.Declared]
    /// Whether it may wait for something, being `async`.
    ///
    /// One that is not may be run again where another replica moved its session on at the same time: it does nothing outside.
    public let isAsync: Bool
}

/// What a view model says of one of its outputs.
public struct OutputDeclaration: Sendable {
    /// The member's name in the view model's JSON object.
    public let name: Name
    /// What the value means.
    public let summary: String
    /// The shape of the value.
    public let schema: JSONSchema
}

/// What a view model says of one of its facets.
public struct FacetDeclaration: Sendable {
    /// The last segment of the facet's path and topic.
    public let name: Name
    /// Whom the facet is for.
    public let summary: String
    /// The facet's outputs, as places among the view model's outputs.
    public let outputs: [Int]
}

/// Holds a view model of a known type behind ``HostedViewModel``.
final class Host<Owner: ViewModel>: HostedViewModel {
    private let viewModel: Owner
    private let interface = Owner.interface
    private let notice: ChangeNotice
    private let center: SessionCenter
    let variables: [(any ReadableVariable)?]
    let version: Int
    /// What was stored that this build does not know.
    private var kept: KeptMembers?

    var identity: ObjectIdentifier { ObjectIdentifier(viewModel) }

    var changesItself: Bool { notice.hasAsked }

    init(_ viewModel: Owner, context: ViewModelContext, notice: ChangeNotice, kept: KeptMembers?, version: Int) {
        self.viewModel = viewModel
        self.notice = notice
        self.kept = kept
        self.version = version
        center = context.sessionCenter
        variables = interface.outputs.map { $0.variable?(viewModel) }
        center.attach(variables.compactMap(\.self))
    }

    deinit { center.forget(variables.compactMap(\.self)) }

    func encodedModel() throws -> [UInt8] {
        let text = try JSON.encode(object: viewModel.model)
        guard let kept else { return text }
        let (whole, rest) = kept.added(to: try JSONGrammar.read(text))
        self.kept = rest
        return whole.text
    }

    func encodedOutput(at index: Int) throws -> [UInt8] { try interface.encoders[index](viewModel) }

    func example(of index: Int) throws -> [UInt8]? { try interface.actions[index].example?(viewModel.model) }

    func perform(_ index: Int, body: [UInt8]) async throws {
        switch interface.works[index] {
        case .now(let work): try work(viewModel, body)
        case .later(let work): try await work(viewModel, body)
        }
    }

    func performNow(_ index: Int, body: [UInt8]) throws -> Bool {
        guard case .now(let work) = interface.works[index] else { return false }
        try work(viewModel, body)
        return true
    }
}

/// One session's instance of a view model, whatever its type.
///
/// Belongs to the turn that holds it; not to be used from two threads at once.
public protocol HostedViewModel: AnyObject {
    /// Which variable holds an output, in the order of the declared outputs, perhaps one for several; nil for an output
    /// that is compared after each turn instead.
    var variables: [(any ReadableVariable)?] { get }

    /// The view model itself, as it names itself in ``ViewModelContext/changes(of:)``.
    var identity: ObjectIdentifier { get }

    /// Whether it has asked for a way to change without an action of its own: ``ViewModelContext/changes(of:)``, or
    /// ``ViewModelContext/center``.
    ///
    /// It must stay live, or its changes stop: a host that discards it makes another.
    var changesItself: Bool { get }

    /// The version of the model that is to be stored with it: this build's, or the later one that stored what this one
    /// was made from.
    var version: Int { get }

    /// The model as JSON text, with what was stored with it that this build does not know.
    ///
    /// - Throws: `EncodingError`.
    func encodedModel() throws -> [UInt8]

    /// The present value of one output as JSON text.
    ///
    /// - Parameter index: the place of the output in the declaration.
    /// - Throws: `EncodingError`.
    func encodedOutput(at index: Int) throws -> [UInt8]

    /// A body for an action as a caller would send it now, as JSON text; nil where it takes none.
    ///
    /// - Parameter index: the place of the action in the declaration.
    /// - Throws: `EncodingError`.
    func example(of index: Int) throws -> [UInt8]?

    /// Runs an action.
    ///
    /// - Parameters:
    ///   - index: the place of the action in the declaration.
    ///   - body: JSON text; empty where none was sent.
    /// - Throws: ``ActionRefusal``, or whatever the view model throws.
    func perform(_ index: Int, body: [UInt8]) async throws

    /// Runs an action that never waits.
    ///
    /// - Returns: false where it may have to wait; nothing was done then.
    /// - Throws: as ``perform(_:body:)``.
    func performNow(_ index: Int, body: [UInt8]) throws -> Bool
}

/// Whether a view model has asked for a way to change without an action of its own; safe from any thread.
final class ChangeNotice: Sendable {
    private let asked = Atomic(false)

    var hasAsked: Bool { asked.load(ordering: .relaxed) }

    func note() { asked.store(true, ordering: .relaxed) }
}
