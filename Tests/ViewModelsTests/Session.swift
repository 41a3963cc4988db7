import Foundation
import Testing
import ViewModels

/// Runs actions as a host does: the result of one is what the next runs on.
final class Session {
    let catalogue: Catalogue
    private(set) var parts: [String: Part] = [:]
    private let language: Language
    private(set) var posts: [Post] = []

    init(_ declarations: [Declaration], in language: Language = "ja") throws {
        catalogue = try Catalogue(declarations)
        self.language = language
    }

    convenience init(_ declarations: Declaration...) throws { try self.init(declarations) }

    @discardableResult
    func run(_ path: String, _ body: String = "") throws -> RunResult {
        try take(catalogue.run(call(path, Array(body.utf8))) { [parts] in parts[$0] })
    }

    @discardableResult
    func runAsync(_ path: String, _ body: String = "") async throws -> RunResult {
        try take(await catalogue.runAsync(call(path, Array(body.utf8))) { [parts] in parts[$0] })
    }

    func part(_ name: String) throws -> Part {
        if let part = parts[name] { return part }
        return try #require(catalogue.viewModel(name)).initial(in: language)
    }

    func body(_ name: String, facet: String? = nil) throws -> String {
        let (viewModel, part) = (try #require(catalogue.viewModel(name)), try part(name))
        let outputs = viewModel.outputs
        let places = viewModel.facets.first { $0.name == facet }.map(viewModel.places) ?? Array(outputs.indices)
        return "{\(places.map { "\"\(outputs[$0].name)\":\(text(part.outputs[$0]))" }.joined(separator: ","))}"
    }

    func stored(_ name: String) throws -> String { String(decoding: try part(name).stored, as: UTF8.self) }

    func load(_ name: String, _ stored: String, version: Int = 1) throws {
        parts[name] = try catalogue.read(name, stored: Array(stored.utf8), version: version, language: language)
    }

    private func call(_ path: String, _ body: [UInt8]) -> ActionCall {
        let names = path.split(separator: "/").map(String.init)
        return ActionCall(
            names[0], ActionRequest(names[1], body: body, sessionID: "session-1"), language: language,
            time: Date(timeIntervalSinceReferenceDate: 42))
    }

    private func take(_ result: RunResult) -> RunResult {
        parts.merge(result.changed) { $1 }
        posts += result.posts
        return result
    }
}

func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }
