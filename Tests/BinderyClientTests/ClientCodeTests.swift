import BinderyClient
import BinderyTesting
import Foundation
import Samples
import Service
import TestSupport
import Testing
import ViewModels

@testable import BinderyKit

@Suite("Code for clients, written from a declaration")
struct ClientCodeTests {
    static let catalogue = Catalogue([
        .hosting(ShapesViewModel.init(model:)), .hosting(CounterViewModel.init(model:)),
        .hosting(ProfileViewModel.init(model:)), .hosting { LoginViewModel(model: $0, language: $1.language) },
        .hosting(LampViewModel.init(model:)),
    ])
    static let program = ServedProgram(name: "everything", version: nil)

    /// What is written, beside what was written, which is compiled with these tests or read here.
    static let files: [(name: String, text: String)] = [
        ("Everything.swift", SwiftClient(catalogue: catalogue, program: program).text),
        ("everything.d.ts", TypeScriptClient(catalogue: catalogue, program: program).text),
    ]

    /// `BINDERY_TEST_WRITES=1 swift test --filter ClientCodeTests` writes the files anew, for the next build.
    @Test("is what is compiled here", arguments: [0, 1])
    func written(place: Int) throws {
        let (name, text) = Self.files[place]
        let file = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Generated/\(name)")
        if ProcessInfo.processInfo.environment["BINDERY_TEST_WRITES"] != nil {
            try Data(text.utf8).write(to: file)
        }
        #expect(try String(contentsOf: file, encoding: .utf8) == text)
    }

    @Test("is what the kiosk of the examples has of bindery's counter")
    func example() throws {
        let file = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../../Examples/Kiosk/Sources/KioskScreen/Counter.swift")
        let counter = Catalogue([.hosting(CounterViewModel.init(model:))])
        let client = SwiftClient(catalogue: counter, program: ServedProgram(name: "bindery", version: nil))
        #expect(try String(contentsOf: file, encoding: .utf8) == client.text)
    }

    @Test("has methods for actions and constants for outputs")
    func typed() async throws {
        try await withServer(viewModels: Self.catalogue.viewModels) { server in
            let session = try await server.session()
            let counter = try await session.bound().viewModel(Counter.self)
            #expect(counter.text.value == "0" && counter.alpha.value == 0.5)
            #expect(try await counter.increment().enabled)
            #expect(counter.text.value == "1")
            let profile = session.viewModel(Profile.self)
            try await profile.load(Profile.Load(paramA: 7, paramB: "b"))
            #expect(try await session.viewModel(ProfileCard.self).state().paramB == "b")
            #expect(try await session.viewModel(Login.self).validate(.init(id: "a", password: "b")).color == .green)
        }
    }

    @Test("has a type for a value that is called as its view model is")
    func lamp() async throws {
        try await withServer(viewModels: Self.catalogue.viewModels) { server in
            let lamp = try await server.session().viewModel(Lamp.self)
            #expect(try await lamp.state().lamp == .off)
            #expect(try await lamp.turn(.on).lamp == .on)
        }
    }

    @Test("has two types for two of one name")
    func namesakes() {
        let catalogue = Catalogue([.hosting(NamesakesViewModel.init(model:))])
        let swift = SwiftClient(catalogue: catalogue, program: Self.program).text
        #expect(swift.contains("struct Node: ") && swift.contains("struct Node2: "))
        let typeScript = TypeScriptClient(catalogue: catalogue, program: Self.program).text
        #expect(typeScript.contains("export type Node = { branches: Node[] }"))
        #expect(typeScript.contains("export type Node2 = { leaves: Node2[] }"))
        #expect(typeScript.contains("readonly leaves: Node2"))
    }

    @Test("reads and writes every shape as the host's own types do")
    func everyShape() async throws {
        try await withServer(viewModels: Self.catalogue.viewModels) { server in
            let shapes = try await server.session().viewModel(EveryShape.self)
            let first = try await shapes.state().all
            #expect(first.text == "\" \\ 数🧵" && first.widest == Int128.max && first.large == UInt64.max)
            #expect(first.size == ._2 && first.node.next?.number == 2)
            let made = try await shapes.set(first).all
            #expect(made == first)
            let state = try await shapes.size(.`init`)
            #expect(try state.size == .`init`)
            #expect(try state.in == nil)
            #expect(try state.momentOfIt == first.moment)
            let list = AnyJSON.array([.integer(1), .number(0.5), .null, .bool(true), .string("数")])
            #expect(try state.free == .object(["a": list]))
            let began = try await shapes.`init`().size
            #expect(began == ._2)
        }
    }
}
