import Foundation
import Service
import TestSupport
import Testing

@testable import BinderyKit
@testable import bindery

/// Protects the help from missing and wrong options.
@Suite("The help of a program")
struct HelpTests {
    @Test("lists its commands under its own name, and no options")
    func commands() {
        let text = HelpText(of: Errands.self).text
        for command in ["serve", "check", "backup PATH", "restore BACKUP", "copy", "health", "client typescript"] {
            #expect(text.contains("  \(command) "))
        }
        #expect(!text.contains("--port"))
        #expect(!text.contains("bindery serve"))
        #expect(HelpText(of: Bindery.self).text.contains("  watch [URL] "))
    }

    @Test("of serve lists its options with what holds where nobody says anything")
    func serve() {
        let text = HelpText(of: Errands.self).text(of: .serve)
        for option in Command.serve.options { #expect(text.contains("  \(option.usage)")) }
        #expect(text.contains("listen on this port; 0 for a free one (81)"))
        #expect(text.contains("Usage: errands serve [options]"))
        #expect(!text.contains("--from"))
        #expect(text.split(separator: "\n").allSatisfy { $0.count <= 100 })
    }

    @Test("of another command lists that command's options alone")
    func others() {
        let text = HelpText(of: Bindery.self).text(of: .copy)
        #expect(text.contains("--from STORE"))
        #expect(!text.contains("--port"))
        let client = Command.all(of: Bindery.self).first { $0.name == "client typescript" }
        #expect(client.map { HelpText(of: Bindery.self).text(of: $0).contains("Options") } == false)
    }
}

/// Protects what a host's program says of itself.
@Suite("A program that hosts view models")
struct ProgramTests {
    @Test("is called as its type, and keeps its sessions in a file of that name, unless it says otherwise")
    func names() {
        #expect(Plain.title == "Plain (Bindery \(Version.current))")
        #expect(Plain.store == .sqlite("Plain.db"))
        #expect(Errands.title == "errands 1.4.0 (Bindery \(Version.current))")
        #expect(Bindery.title == "bindery \(Version.current)")
    }

    @Test(
        "says where the help is if it does not know a command",
        arguments: [
            ([], "a command is missing; see errands --help"),
            (["sessions"], "\"sessions\" is not a command; see errands --help"),
            (["client", "swift"], "\"client\" is not a command; see errands --help"),
            (["backup"], "backup needs PATH; see errands backup --help"),
        ])
    func unknown(words: [String], message: String) async {
        #expect(await complaint { try await Errands.run(words, [:]) } == message)
    }

    @Test("that cannot be served says why, and makes no store", arguments: ["serve", "check", "openapi"])
    func faulty(command: String) async throws {
        try await withTemporaryDirectory { directory in
            let words = command == "openapi" ? [command] : [command, "--store", "sqlite:\(directory)/new.db"]
            let text = await complaint { try await Twice.run(words, [:]) }
            #expect(command == "serve" || text?.contains("Two view models are called counter") == true)
            #expect(text != nil)
            #expect(access("\(directory)/new.db", F_OK) != 0)
        }
    }

    @Test("greets a person with its own view models")
    func greeting() {
        let greeting = Command.greeting("http://127.0.0.1:81", ProgramOptions(of: Errands.self))
        #expect(
            greeting == """
                errands 1.4.0 (Bindery \(Version.current)) listens on http://127.0.0.1:81
                Store: memory; sessions end with this process
                Try:
                  curl http://127.0.0.1:81/counter
                  curl -X POST http://127.0.0.1:81/counter/increment
                  curl 'http://127.0.0.1:81/changes?wait=25'
                """)
    }

    @Test(
        "fails where its output cannot be written", arguments: [["--help"], ["--version"], ["client", "typescript"]])
    func fullDisk(words: [String]) async throws {
        let ending = await #expect(processExitsWith: .exitCode(1), observing: [\.standardErrorContent]) { [words] in
            dup2(open("/dev/full", O_WRONLY), STDOUT_FILENO)
            await Plain.main(words, [:])
        }
        let said = String(decoding: try #require(ending).standardErrorContent, as: UTF8.self)
        #expect(said.contains("Plain: standard output cannot be written: No space left on device"))
    }
}
