import Samples
import ViewModels

/// One sample as a host runs it.
struct Bench {
    private let session: Session
    private let name: String

    /// - Parameter stored: what the sample continues from; nil for a new session.
    init(
        _ name: String, stored: String? = nil, in language: Language = "ja",
        hosting declarations: [Declaration] = Declaration.samples
    ) throws {
        session = try Session(declarations, in: language)
        self.name = name
        if let stored { try session.load(name, stored) }
    }

    /// Runs an action.
    ///
    /// - Returns: the names of the outputs that changed.
    @discardableResult
    func run(_ action: String, _ body: String = "") async throws -> [String] {
        let before = try session.part(name).outputs
        try await session.runAsync("\(name)/\(action)", body)
        let names = session.catalogue.viewModel(name)?.outputs.map(\.name) ?? []
        return zip(names, zip(before, try session.part(name).outputs)).filter { $1.0 != $1.1 }.map { $0.0 }
    }

    /// The outputs as a GET shows them.
    func shown(facet: String? = nil) throws -> String { try session.body(name, facet: facet) }

    /// The stored form.
    var stored: String { get throws { try session.stored(name) } }
}
