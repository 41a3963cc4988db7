import Binding
import Synchronization

/// Holds a view model of a known type behind the untyped face.
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

/// One session's instance of a view model, its type put aside.
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
    /// Such a one has to be there for its changes to happen: a host that throws it away makes another.
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
