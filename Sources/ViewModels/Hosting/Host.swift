import Binding

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
