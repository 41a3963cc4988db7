import Foundation
import TestSupport
import Testing

@testable import ViewModels

/// One hosted view model, its outputs and actions reached by name.
struct Bench {
    let declaration: Declaration
    let hosted: any HostedViewModel

    init(_ declaration: Declaration, language: Language = .standard, model: [UInt8]? = nil) throws {
        self.declaration = declaration
        hosted = try declaration.make(in: ViewModelContext(language: language), from: model)
    }

    init(_ catalogue: Catalogue, _ name: String, language: Language = .standard) throws {
        try self.init(catalogue.viewModels[#require(catalogue.place(of: name))], language: language)
    }

    func perform(_ action: String, _ body: String = "") async throws {
        let index = try #require(declaration.actions.firstIndex { $0.name.rawValue == action })
        try await hosted.perform(index, body: Array(body.utf8))
    }

    func output(_ name: String) throws -> JSONValue {
        let index = try #require(declaration.outputs.firstIndex { $0.name.rawValue == name })
        return try JSON.decode(JSONValue.self, from: hosted.encodedOutput(at: index))
    }

    /// Every output as JSON text, in declared order.
    func outputs() throws -> [String] {
        try declaration.outputs.indices.map { String(utf8: try hosted.encodedOutput(at: $0)) }
    }
}
