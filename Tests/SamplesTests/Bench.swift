import Foundation
import Samples
import ViewModels

/// One sample as a host runs it: each action runs on the result of the one before.
final class Bench {
    private let catalogue: Catalogue
    private let name: String
    private let language: Language
    private var parts: [String: Part] = [:]

    /// - Parameter stored: what the sample continues from; nil for a new session.
    init(
        _ name: String, stored: String? = nil, in language: Language = "ja",
        hosting declarations: [Declaration] = Declaration.samples
    ) throws {
        catalogue = try Catalogue(declarations)
        (self.name, self.language) = (name, language)
        guard let stored else { return }
        parts[name] = try catalogue.read(name, stored: Array(stored.utf8), version: 1, language: language)
    }

    /// Runs an action.
    ///
    /// - Returns: the names of the outputs that changed.
    @discardableResult
    func run(_ action: String, _ body: String = "") async throws -> [String] {
        let before = try part.outputs
        let call = ActionCall(
            name, action, body: Array(body.utf8), language: language, time: Date(timeIntervalSinceReferenceDate: 42),
            sessionID: "session-1")
        parts.merge(try await catalogue.runAsync(call) { [parts] in parts[$0] }.changed) { $1 }
        let names = catalogue.viewModel(name)?.outputs.map(\.name) ?? []
        return zip(names, zip(before, try part.outputs)).filter { $1.0 != $1.1 }.map { $0.0 }
    }

    /// The outputs as a GET shows them.
    func shown(facet: String? = nil) throws -> String {
        let facet = catalogue.viewModel(name)?.facets.first { $0.name == facet }
        return String(decoding: catalogue.body(of: try part, name, facet: facet), as: UTF8.self)
    }

    /// The stored form.
    var stored: String { get throws { String(decoding: try part.stored, as: UTF8.self) } }

    private var part: Part { get throws { try parts[name] ?? catalogue.initial(name, language: language) } }
}

/// All values that an observer was told, in order.
final class History<Value> {
    private(set) var values: [Value] = []
    func note(_ value: Value) { values.append(value) }
}
