import Foundation
import TestSupport
import Testing

@testable import BinderyKit
@testable import bindery

@Suite("A view model that is added to a package")
struct AddViewModelTests {
    /// Runs a test with a package that has a file `Sources/App/App.swift`.
    private func withPackage(_ program: String, _ test: (URL) async throws -> Void) async throws {
        try await withTemporaryDirectory { directory in
            let package = URL(filePath: directory)
            for (path, text) in [
                ("Package.swift", #"targets: [.testTarget(name: "AppTests")]"#), ("Sources/App/App.swift", program),
            ] {
                try NewFile(path: path, text: text).write(into: package)
            }
            try await test(package)
        }
    }

    private func text(_ path: String, in package: URL) throws -> String {
        try String(contentsOf: package.appending(path: path), encoding: .utf8)
    }

    private let program = "@main struct Shop: BinderyProgram { static let viewModels: [Declaration] = [] }\n"

    @Test(
        "stands at the end of the program's list, however that is written",
        arguments: [
            ("let viewModels: [Declaration] = []", "let viewModels: [Declaration] = [.new]"),
            ("let viewModels = [ .a ]", "let viewModels = [ .a, .new ]"),
            ("let viewModels: [Declaration] = [.a(b[0]), .c]", "let viewModels: [Declaration] = [.a(b[0]), .c, .new]"),
            ("var viewModels: [Declaration] { [.a] }", "var viewModels: [Declaration] { [.a, .new] }"),
            ("var viewModels: [Declaration] { return [.a] }", "var viewModels: [Declaration] { return [.a, .new] }"),
            ("let viewModels = [\n    .a\n]", "let viewModels = [\n    .a,\n    .new,\n]"),
            (
                "let viewModels = [\n\t.a, // the “first”, b[\n]",
                "let viewModels = [\n\t.a, // the “first”, b[\n\t.new,\n]"
            ),
            ("let viewModels = [\n    .a // ]\n]", "let viewModels = [\n    .a, // ]\n    .new,\n]"),
            (
                "let viewModels = [\n    .a {\n        \"]\"\n    },\n]",
                "let viewModels = [\n    .a {\n        \"]\"\n    },\n    .new,\n]"
            ),
            ("// let viewModels = []\nlet viewModels = [.ä]", "// let viewModels = []\nlet viewModels = [.ä, .new]"),
        ])
    func places(before: String, after: String) {
        #expect(SwiftCode(before).hosting(".new") == after)
    }

    @Test(
        "has no place where the list is no literal",
        arguments: [
            "let viewModels = all", "#expect(viewModels == [])", "withServer(viewModels: [])", "// let viewModels = []",
        ])
    func noPlace(text: String) {
        #expect(SwiftCode(text).hosting(".new") == nil)
    }

    @Test("is a file and its test, and a line in the program")
    func added() async throws {
        try await withPackage(program) { package in
            let lines = try HostPackage(at: package).add(NewName("PriceList"))
            #expect(lines.count == 3)
            let viewModel = try text("Sources/App/PriceListViewModel.swift", in: package)
            #expect(viewModel.contains(#"("price-list","#))
            // One output and one action, and no other's list.
            #expect(!viewModel.contains("entries"))
            let tests = try text("Tests/AppTests/PriceListViewModelTests.swift", in: package)
            #expect(tests.contains("@testable import App\n"))
            #expect(tests.contains("withServer(Shop.self)"))
            #expect(
                try text("Sources/App/App.swift", in: package).contains("= [.hosting(PriceListViewModel.init(model:))]")
            )
        }
    }

    @Test("takes the place of no file, and nothing is done", arguments: ["Sources/App", "Tests/AppTests"])
    func taken(folder: String) async throws {
        try await withPackage(program) { package in
            let path = "\(folder)/PriceListViewModel\(folder.hasPrefix("Tests") ? "Tests" : "").swift"
            try NewFile(path: path, text: "mine").write(into: package)
            let before = try Set(FileManager.default.subpathsOfDirectory(atPath: package.path))
            let error = #expect(throws: CommandFailure.self) { try HostPackage(at: package).add(NewName("PriceList")) }
            #expect(error?.description == "\(path) is here already")
            #expect(try Set(FileManager.default.subpathsOfDirectory(atPath: package.path)) == before)
            #expect(try text(path, in: package) == "mine")
            #expect(try text("Sources/App/App.swift", in: package) == program)
        }
    }

    @Test("is refused where its type is in another file of the target")
    func declared() async throws {
        try await withPackage(program) { package in
            try NewFile(path: "Sources/App/Lists/Lists.swift", text: "final class PriceListViewModel {}").write(
                into: package)
            let error = #expect(throws: CommandFailure.self) { try HostPackage(at: package).add(NewName("PriceList")) }
            #expect(error?.description == "PriceListViewModel is here already, in Sources/App/Lists/Lists.swift")
        }
    }

    @Test("is written and listed where there is no target for its test, and that is said")
    func noTests() async throws {
        try await withPackage(program) { package in
            try Data("targets: []".utf8).write(to: package.appending(path: "Package.swift"))
            let error = #expect(throws: CommandFailure.self) { try HostPackage(at: package).add(NewName("PriceList")) }
            #expect(
                error?.description.contains("App.swift lists it; Package.swift has no AppTests: add a test target")
                    == true)
        }
    }

    @Test("is written where the program's list is not to be found, and the line is said that is missing")
    func noList() async throws {
        try await withPackage("let server = BinderyServer(viewModels: all)\n") { package in
            let error = #expect(throws: CommandFailure.self) { try HostPackage(at: package).add(NewName("PriceList")) }
            #expect(
                error?.description.hasSuffix(
                    "add .hosting(PriceListViewModel.init(model:)) where the program has it") == true)
            let tests = try text("Tests/AppTests/PriceListViewModelTests.swift", in: package)
            #expect(tests.contains("withServer(viewModels: [.hosting(PriceListViewModel.init(model:))])"))
        }
    }

    @Test("needs a package, with one program")
    func noPackage() async throws {
        try await withTemporaryDirectory { directory in
            _ = #expect(throws: CommandFailure.self) { try HostPackage(at: URL(filePath: directory)) }
        }
        try await withPackage(program) { package in
            try NewFile(path: "Sources/Other/Other.swift", text: "let a = 1").write(into: package)
            _ = try HostPackage(at: package)
            try NewFile(path: "Sources/Third/Third.swift", text: program).write(into: package)
            let error = #expect(throws: CommandFailure.self) { try HostPackage(at: package) }
            #expect(error?.description.hasPrefix("several targets have a BinderyProgram: App, Third") == true)
        }
    }
}
