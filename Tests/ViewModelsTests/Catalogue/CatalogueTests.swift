import TestSupport
import Testing

@testable import ViewModels

@Suite("The catalogue")
struct CatalogueTests {
    /// A view model in a state that some actions lead to.
    struct Visit: Sendable, CustomTestStringConvertible {
        let viewModel: String
        var steps: [Step] = []
        var language = Language.standard
        var testDescription: String { "\(viewModel) \(language.rawValue) \(steps.map(\.action))" }

        struct Step: Sendable {
            let action: String
            var body = ""
        }
    }

    static let visits =
        [
            Visit(viewModel: "counter"),
            Visit(viewModel: "counter", steps: [.init(action: "increment")]),
            Visit(viewModel: "counter", steps: [.init(action: "increment"), .init(action: "decrement")]),
        ]
        + Catalogue.standard.viewModels.map { viewModel in
            Visit(
                viewModel: viewModel.name.rawValue,
                steps: viewModel.actions.filter { $0.input != nil || $0.name.rawValue.hasPrefix("incr") }.map {
                    .init(action: $0.name.rawValue, body: String(decoding: $0.input?.example ?? [], as: UTF8.self))
                })
        }
        + Language.allCases.flatMap { language in
            [[], ["{}"], [#"{"id":"i"}"#], [#"{"password":"p"}"#], [#"{"id":"i","password":"p"}"#]].map { bodies in
                Visit(
                    viewModel: "login", steps: bodies.map { .init(action: "validate", body: $0) }, language: language)
            }
        }

    private func bench(after visit: Visit) async throws -> Bench {
        let bench = try Bench(.standard, visit.viewModel, language: visit.language)
        for step in visit.steps { try await bench.perform(step.action, step.body) }
        return bench
    }

    @Test("a view model rebuilt from its stored model shows the same", arguments: visits)
    func rebuild(visit: Visit) async throws {
        let lived = try await bench(after: visit)
        let rebuilt = try Bench(
            lived.declaration, language: visit.language, model: lived.hosted.encodedModel())
        #expect(try rebuilt.outputs() == lived.outputs())
        #expect(try rebuilt.hosted.encodedModel() == lived.hosted.encodedModel())
    }

    @Test("what is shown has the shape that is declared", arguments: visits)
    func schemas(visit: Visit) async throws {
        let bench = try await bench(after: visit)
        for output in bench.declaration.outputs {
            #expect(output.schema.allows(try bench.output(output.name.rawValue)), "\(output.name)")
        }
    }

    @Test("the example of each action has the shape that is declared, and is taken")
    func examples() async throws {
        for declaration in Catalogue.standard.viewModels {
            for action in declaration.actions {
                guard let input = action.input else { continue }
                #expect(input.schema.allows(try JSON.decode(JSONValue.self, from: input.example)), "\(action.name)")
                try await Bench(declaration).perform(action.name.rawValue, String(utf8: input.example))
            }
        }
    }

    @Test("counts the outputs through, view model after view model")
    func places() throws {
        let catalogue = Catalogue.standard
        #expect(catalogue.firstOutputs.first == 0)
        for (place, viewModel) in catalogue.viewModels.enumerated().dropLast() {
            let next = catalogue.firstOutputs[place] + viewModel.outputs.count
            #expect(catalogue.firstOutputs[place + 1] == next)
        }
        #expect(catalogue.outputCount == catalogue.viewModels.map(\.outputs.count).reduce(0, +))
        for (place, viewModel) in catalogue.viewModels.enumerated() {
            #expect(catalogue.place(of: viewModel.name.rawValue) == place)
        }
        #expect(catalogue.place(of: "Counter") == nil)
        #expect(catalogue.place(of: "") == nil)
    }

    @Test("every view model and member says what it is for")
    func summaries() {
        for viewModel in Catalogue.standard.viewModels {
            #expect(!viewModel.summary.isEmpty)
            #expect(viewModel.outputs.allSatisfy { !$0.summary.isEmpty })
            #expect(viewModel.actions.allSatisfy { !$0.summary.isEmpty })
            #expect(viewModel.facets.allSatisfy { !$0.summary.isEmpty })
        }
    }

    @Test("two view models of one name stop the program")
    func twins() async {
        await #expect(processExitsWith: .failure) {
            _ = Catalogue(Catalogue.standard.viewModels + Catalogue.standard.viewModels)
        }
    }
}
