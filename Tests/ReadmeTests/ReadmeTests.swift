import BinderyKit
import Foundation
import Testing

@Suite("The README's view model in ten minutes")
struct ReadmeTests {
    static let files = [
        "Package.swift", "Sources/Tickets/TicketMachine.swift", "Sources/Tickets/Tickets.swift",
        "Tests/TicketsTests/TicketMachineTests.swift",
    ]

    @Test("is the code that these tests build and run, to the letter")
    func code() throws {
        let files = try Self.files.map {
            try String(contentsOf: Readme.root.appending(path: "Tests/Readme/\($0)"), encoding: .utf8)
        }
        #expect(try Readme.blocks("swift") == files)
    }

    @Test("and the code for a changed model is in these tests, too")
    func changedModel() throws {
        let tests = try ["Model.swift", "OlderModelTests.swift"].map {
            try String(contentsOf: Readme.root.appending(path: "Tests/ReadmeTests/\($0)"), encoding: .utf8)
        }
        let blocks = try Readme.blocks("swift", under: "Changing a view model that has stored sessions")
        #expect(blocks.count == 3)
        for block in blocks {
            let indented = block.split(separator: "\n").map { "    \($0)\n" }.joined()
            #expect(tests.contains { $0.contains(block) || $0.contains(indented) }, "\(block)")
        }
    }

    @Test("and the code of a server for real is in these tests, too")
    func server() throws {
        let file = Readme.root.appending(path: "Tests/ReadmeTests/Server.swift")
        let code = try String(contentsOf: file, encoding: .utf8).split(separator: "\n")
        let block = try Readme.blocks("swift", under: "Your own server for real").joined()
        for line in block.split(separator: "\n") {
            #expect(code.contains { $0.drop { $0 == " " } == line.drop { $0 == " " } }, "\(line)")
        }
        #expect(!block.isEmpty)
    }

    @Test("prints what it says when it is served, as it says, and its commands are typed")
    func transcript() async throws {
        let lines = try Readme.blocks("console").joined().split(separator: "\n").map(String.init)
        let commands = lines.filter { $0.hasPrefix("$ ") }.map { String($0.dropFirst(2)) }
        #expect(!commands.isEmpty)
        let printed = try await bash(
            """
            unset "${!BINDERY_@}"
            exec 3< <(exec '\(try Self.program)' serve --port 0 --store memory --log json 2>&1)
            server=$!
            trap 'kill $server 2>/dev/null || true' EXIT
            read -r -u 3 line
            [[ $line =~ \\"url\\":\\"([^\\"]*) ]]
            url=${BASH_REMATCH[1]}
            \(commands.map { "\($0)\necho" }.joined(separator: "\n").replacing("http://127.0.0.1:8080", with: "$url"))
            kill $server
            wait $server
            """)
        let answers = printed.split(separator: "\n").map { masked(String($0)) }
        #expect(answers == lines.filter { !$0.hasPrefix("$ ") }.map(masked))
    }

    @Test(
        "ends with 0, with 1 where it could not be done, with 64 where it was told wrongly, and says why in its own name"
    )
    func exits() async throws {
        let printed = try await bash(
            """
            say() { "$@" 2>&1 && status=0 || status=$?; echo "$status"; }
            say '\(try Self.program)' --version
            say '\(try Self.program)' health --port 1
            say '\(try Self.program)' sessions
            """)
        #expect(
            printed == """
                Tickets (Bindery \(Version.current))
                0
                Tickets: 127.0.0.1:1 refuses the connection: nothing listens there
                1
                Tickets: sessions needs to know what to do: list or end; see Tickets --help
                64

                """)
    }

    /// Beside the tests themselves, because SwiftPM builds it for them.
    private static var program: String {
        get throws {
            try #require(Bundle.main.executableURL).deletingLastPathComponent().appending(path: "Tickets").path
        }
    }

    /// What differs from run to run: epochs, request ids.
    private func masked(_ line: String) -> String {
        line.replacing(/"[A-Za-z0-9_-]{6}\.(\d+)"/) { "\"EPOCH.\($0.1)\"" }
            .replacing(/"instance":"[^"]*"/, with: #""instance":"ID""#)
    }

    private func bash(_ script: String) async throws -> String {
        let process = Process()
        let output = Pipe()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = ["bash", "-e", "-c", script]
        process.standardOutput = output
        let ended = AsyncStream<Void> { continuation in process.terminationHandler = { _ in continuation.finish() } }
        try process.run()
        for await _ in ended {}
        #expect(process.terminationStatus == 0)
        return String(decoding: try output.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
    }
}
