import Foundation
import TestSupport
import Testing
import ViewModels

@testable import BinderyKit
@testable import Service
@testable import bindery

@Suite("A program that hosts view models")
struct BinderyProgramTests {
    /// One that says nothing of itself.
    private enum Plain: BinderyProgram {
        static let viewModels: [Declaration] = [.hosting { ErrandViewModel(model: $0) {} }]
    }

    /// One that says all.
    private enum Errands: BinderyProgram {
        static let viewModels = Plain.viewModels
        static let name = "errands"
        static let version = "1.4.0"
        static let store = "memory"
        static var options: BinderyServer.Options {
            var options = BinderyServer.Options()
            (options.port, options.sessions.actionTime) = (81, .seconds(10))
            return options
        }
    }

    private func options(
        of program: any BinderyProgram.Type, _ arguments: String..., environment: [String: String] = [:]
    ) throws -> ProgramOptions {
        try ProgramOptions(of: program, arguments: arguments, environment: environment)
    }

    @Test("is called as its type, and keeps its sessions in a file of that name, unless it says otherwise")
    func names() throws {
        #expect(Plain.title == "Plain (Bindery \(Version.current))")
        #expect(try options(of: Plain.self).store == .sqlite(path: "Plain.db"))
        #expect(Errands.title == "errands 1.4.0 (Bindery \(Version.current))")
        #expect(try options(of: Errands.self).store == .memory)
        #expect(Bindery.title == "bindery \(Version.current)")
    }

    @Test("sets what holds where neither the environment nor the command line say anything")
    func defaults() throws {
        let said = try options(of: Errands.self, "--action-timeout", "5", environment: ["BINDERY_STORE": "sqlite:a.db"])
        #expect(said.server.port == 81)
        #expect(said.server.sessions.actionTime == .seconds(5))
        #expect(said.store == .sqlite(path: "a.db"))
        #expect(said.server.program == "errands")
        #expect(said.server.programVersion == "1.4.0")
        #expect(try options(of: Plain.self).server.programVersion == nil)
    }

    @Test("is named in its help and in what it complains of, and bindery is not")
    func complaints() async throws {
        #expect(try HelpText(of: Errands.self).text.contains("  errands serve "))
        #expect(try !HelpText(of: Errands.self).text.contains("bindery "))
        for run in [
            { _ = try options(of: Errands.self, "--colour") },
            { _ = try Command.read(["sessions"], for: Errands.self) },
        ] {
            let error = #expect(throws: UsageError.self) { try run() }
            #expect(error?.message.hasSuffix("see errands --help") == true)
        }
        let error = await #expect(throws: UsageError.self) { try await Errands.run(["backup"], [:]) }
        #expect(error?.message.contains(": errands backup PATH") == true)
    }

    @Test("whose store is none says so")
    func noStore() {
        enum Wrong: BinderyProgram {
            static let viewModels = Plain.viewModels
            static let store = "disk"
        }
        let error = #expect(throws: UsageError.self) { try options(of: Wrong.self) }
        #expect(error?.message == "Wrong.store takes memory, sqlite:PATH or postgres://HOST/DATABASE, not disk")
    }

    /// Declares what the server itself means by that name.
    private final class Impostor: ViewModel {
        struct Model: StoredModel { var count = 0 }

        static let interface = Interface<Impostor>("impostor") {
            Output("count", \.count)
            Action("act", Impostor.act).refusing(.custom(type: "wrong-shape", status: 410, title: "Gone"), "Always.")
        }
        func act() {}
        var count: Int { model.count }
        let model: Model
        init(model: Model) { self.model = model }
    }

    @Test("is described and checked by no command that would not serve it", arguments: ["openapi", "check"])
    func faulty(command: String) async throws {
        enum Wrong: BinderyProgram {
            static let viewModels: [Declaration] = [.hosting(Impostor.init(model:))]
            static let store = "sqlite:/no/such/file"
        }
        let fault = await #expect(throws: DeclarationFault.self) { try await Wrong.run([command], [:]) }
        #expect(
            fault?.description
                == "impostor: declares the refusal \"wrong-shape\" of act, which has the type of a problem of the server's own; "
                + "give it another")
    }

    @Test("does nothing where its name is empty or has a slash, and says so", arguments: ["", " ", "a/b"])
    func unnamed(name: String) async {
        enum Unnamed: BinderyProgram {
            static let viewModels = Plain.viewModels
            @TaskLocal static var name = ""
        }
        let failure = await #expect(throws: CommandFailure.self) {
            try await Unnamed.$name.withValue(name) { try await Unnamed.run(["openapi"], [:]) }
        }
        #expect(
            failure?.description
                == "the program Unnamed cannot be called \"\(name)\", since its store is a file of that name: give it a name "
                + "that is not empty and has no /")
    }

    @Test("that cannot be served makes no store")
    func faultBeforeStore() async throws {
        enum Wrong: BinderyProgram { static let viewModels: [Declaration] = [.hosting(Impostor.init(model:))] }
        try await withTemporaryDirectory { directory in
            let path = directory + "/wrong.db"
            await #expect(throws: AlreadyLogged.self) {
                try await Wrong.run(["serve", "--port", "0", "--store", "sqlite:\(path)"], [:])
            }
            #expect(!FileManager.default.fileExists(atPath: path))
        }
    }

    @Test(
        "fails where what it prints cannot be written",
        arguments: [["openapi"], ["client", "swift"], ["client", "typescript"], ["--help"], ["--version"]])
    func fullDisk(arguments: [String]) async throws {
        let ending = await #expect(processExitsWith: .exitCode(1), observing: [\.standardErrorContent]) { [arguments] in
            dup2(open("/dev/full", O_WRONLY), STDOUT_FILENO)
            await Plain.main(arguments, [:])
        }
        let said = String(decoding: try #require(ending).standardErrorContent, as: UTF8.self)
        #expect(said.contains("Plain: standard output cannot be written: No space left on device"))
    }

    private final class Trapping: ViewModel {
        struct Last: Codable {
            var number: Int
            init(numbers: [Int]) { number = numbers[0] }
            init(from decoder: any Decoder) throws {
                self.init(numbers: try decoder.singleValueContainer().decode([Int].self))
            }
            func encode(to encoder: any Encoder) throws {}
        }
        struct Model: StoredModel { var last: Last? }
        static let interface = Interface<Trapping>("trapping") { Output("number", \.number) }
        var number: Int { model.last?.number ?? 0 }
        let model: Model
        init(model: Model) { self.model = model }
    }

    private enum Ending: BinderyProgram { static let viewModels: [Declaration] = [.hosting(Trapping.init(model:))] }

    @Test(
        "says whose code it was that ended it while it was judged, whatever the command",
        arguments: ["openapi", "check"])
    func crash(command: String) async throws {
        let ending = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) { [command] in
            await Ending.main([command], ["BINDERY_STORE": "memory"])
        }
        let said = String(decoding: try #require(ending).standardErrorContent, as: UTF8.self)
        #expect(said.contains(" type=BinderyKitTests.BinderyProgramTests.Trapping.Last "))
    }

    @Test("greets with its own view model")
    func greeting() throws {
        let started = StartedServer(host: "127.0.0.1", port: 80, limits: .init(), fileDescriptorLimit: 1024)
        let greeting = try Serve.greeting(started, options(of: Errands.self))
        #expect(greeting.hasPrefix("errands 1.4.0 (Bindery"))
        #expect(greeting.contains("curl -X POST http://127.0.0.1:80/errand/run\n"))
    }
}
