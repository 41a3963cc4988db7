import Foundation
import Samples
import Testing
import ViewModels

@testable import Service

/// Protects that the description has each request, response and problem.
@Suite("The OpenAPI description")
struct OpenAPIDocumentTests {
    private static func document(
        _ viewModels: [Declaration], program: (String, String) = ("bindery", Version.current),
        languages: Languages = Languages(.japanese, .english)
    ) throws -> String { String(decoding: try Catalogue(viewModels).openAPI(of: program, languages), as: UTF8.self) }

    @Test("openapi.yaml is the description of the samples; make it with swift run bindery openapi")
    func samples() throws {
        let path = URL(filePath: #filePath).appending(path: "../../../../openapi.yaml").standardized
        let file = try String(contentsOf: path, encoding: .utf8)
        #expect(try Self.document(Declaration.samples) == file)
        #expect(file.firstMatch(of: /<[a-zA-Z]+>/) == nil)
        for match in file.matches(of: /#\/components\/\w+\/([\w.-]+)"/) { #expect(file.contains("    \(match.1):")) }
    }

    @Test("a named entity that some callers see by a facet requires no output")
    func byFacet() throws {
        struct Desk: ViewModel {
            var names: [String] = []
            static let interface = Interface<Desk>("desk") {
                Output("names", \.names)
                Facet("board", showing: "names")
            }
        }
        let document = try Self.document([.hosting(Desk.self, at: "desks", keys: .listed("main"))])
        #expect(document.contains("    desks:\n      type: object\n      required: []\n"))
        #expect(document.contains("    desks.board:\n      type: object\n      required: [\"names\"]\n"))
    }

    @Test("a program is described by its name and version, whatever is in them")
    func program() throws {
        let document = try Self.document(Declaration.samples, program: ("Shop: \"all\"\n# <tags>", "0.0.0"))
        #expect(document.contains("  title: \"Shop: \\\"all\\\"\\n# <tags>\"\n  version: \"0.0.0\"\n"))
    }
}
