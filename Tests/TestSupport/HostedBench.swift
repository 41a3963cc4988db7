import Foundation
import ViewModels

/// One hosted view model, its outputs and actions reached by name.
package struct HostedBench {
    package let declaration: Declaration
    package let hosted: any HostedViewModel

    package init(_ declaration: Declaration, language: Language = .japanese, model: [UInt8]? = nil) throws {
        self.declaration = declaration
        hosted = try declaration.make(in: ViewModelContext(language: language), from: model)
    }

    package init(_ catalogue: Catalogue, _ name: String, language: Language = .japanese) throws {
        try self.init(catalogue.viewModels[Self.place(of: name, catalogue.place(of: name))], language: language)
    }

    package func perform(_ action: String, _ body: String = "") async throws {
        let index = try Self.place(of: action, declaration.actions.firstIndex { $0.name.rawValue == action })
        try await hosted.perform(index, body: Array(body.utf8))
    }

    package func output(_ name: String) throws -> JSONValue {
        let index = try Self.place(of: name, declaration.outputs.firstIndex { $0.name.rawValue == name })
        return try JSON.decode(JSONValue.self, from: hosted.encodedOutput(at: index))
    }

    /// Every output as JSON text, in declared order.
    package func outputs() throws -> [String] {
        try declaration.outputs.indices.map { String(utf8: try hosted.encodedOutput(at: $0)) }
    }

    private struct Unknown: Error { let name: String }

    private static func place(of name: String, _ place: Int?) throws -> Int {
        guard let place else { throw Unknown(name: name) }
        return place
    }
}
