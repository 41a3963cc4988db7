import Foundation
import TestSupport
import Testing

/// A reader can copy what stands in the README and in the book: it was compiled and run.
@Suite("The README and the book")
struct PageTests {
    /// The folders whose Swift files are compiled, and run by tests.
    private static let folders = ["Tests/BookTests/Samples", "Tests/Readme", "Sources/Samples"]
    /// The section of the README whose commands ask the program Tickets.
    private static let ticketSection = "Your own view model"

    @Test("show no Swift that does not stand in a compiled file", arguments: Page.all)
    func samples(page: Page) throws {
        let files = try Self.folders.flatMap(Page.files).filter { $0.hasSuffix(".swift") }.map {
            unindented(try Page.lines(of: $0))
        }
        for block in try page.blocks() where block.language == "swift" {
            let sample = unindented(block.lines)
            #expect(
                files.contains { $0.contains(sample) },
                "\(page.path), \(block.section):\n\(block.lines.joined(separator: "\n"))")
        }
    }

    @Test("have Swift and console transcripts alone in the book", arguments: Page.book)
    func languages(page: Page) throws {
        for block in try page.blocks() { #expect(["swift", "console"].contains(block.language), "\(page.path)") }
    }

    @Test("hold more than a few samples")
    func isComplete() throws {
        #expect(Page.book.count == 7)
        #expect(try Page.all.flatMap { try $0.blocks() }.count { $0.language == "swift" } > 20)
    }

    @Test("show the ticket machine as a whole file")
    func wholeFile() throws {
        let path = "Tests/Readme/Sources/Tickets/TicketMachine.swift"
        let blocks = try Page(path: "README.md").blocks().filter {
            $0.language == "swift" && $0.section == Self.ticketSection
        }
        #expect(blocks.map { unindented($0.lines) } == [unindented(try Page.lines(of: path).dropLast())])
    }

    @Test("print what a new server prints", arguments: Page.all)
    func transcripts(page: Page) async throws {
        for (section, blocks) in Dictionary(grouping: try page.blocks(), by: \.section) {
            let lines = blocks.filter { $0.language == "console" }.flatMap(\.lines).map(String.init)
            guard !lines.isEmpty else { continue }
            let commands = lines.filter { $0.hasPrefix("$ ") }.map { String($0.dropFirst(2)) }
            let answers = lines.filter { !$0.hasPrefix("$ ") && !$0.isEmpty }.map(masked)
            let program = section == Self.ticketSection ? "Tickets" : "bindery"
            let printed = try await printed(by: commands, against: program)
            #expect(printed == answers, "\(page.path), \(section)")
        }
    }

    /// Types commands into one shell, while a new server of a program listens.
    ///
    /// - Returns: the lines that they print, masked, without empty ones.
    private func printed(by commands: [String], against program: String) async throws -> [String] {
        let programs = try #require(Bundle.main.executableURL).deletingLastPathComponent().path
        let script = """
            unset "${!BINDERY_@}"
            exec 3< <(exec '\(programs)/\(program)' serve --port 0 --store memory --log json 2>&1)
            server=$!
            trap 'kill $server 2>/dev/null || true' EXIT
            read -t 60 -r -u 3 line
            [[ $line =~ \\"url\\":\\"([^\\"]*) ]]
            url=${BASH_REMATCH[1]}
            curl() { command curl "${@//http:\\/\\/127.0.0.1:8080/$url}"; }
            \(commands.map { "\($0)\necho" }.joined(separator: "\n"))
            kill $server
            wait $server
            """
        return try await onThread {
            // Without -e: curl reports a stream that -m ends as a failure.
            let bash = try Child("/bin/bash", ["-c", script])
            let lines = bash.lines()
            #expect(bash.wait() == 0)
            return lines.map(masked)
        }
    }

    /// The lines without their indentation.
    private func unindented(_ lines: [Substring]) -> String {
        lines.map { "\n\($0.drop { $0 == " " })" }.joined() + "\n"
    }
}

/// A line without what differs from run to run: the nonces of cursors, and request ids.
private func masked(_ line: String) -> String {
    line.replacing(/\b(\d+)\.[A-Za-z0-9_-]{11}(?![A-Za-z0-9_-])/) { "\($0.1).NONCE" }
        .replacing(/"instance":"[^"]*"/, with: #""instance":"ID""#)
}
