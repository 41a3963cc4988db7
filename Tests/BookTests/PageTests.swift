import Foundation
import Testing

/// What a reader may copy out of a page has been compiled and run.
@Suite("The README and the book")
struct PageTests {
    /// Where samples are code: each of these is built, and run by the tests beside it.
    static let folders = ["Tests/BookTests/Samples", "Tests/Readme", "Sources/Samples"]

    @Test("show no Swift that is not in a file which is compiled and run here, to the letter", arguments: Page.all)
    func samples(page: Page) throws {
        let files = try Self.folders.flatMap { Page.swiftOrMarkdown(under: $0) }.map {
            unindented(
                try String(contentsOf: Page.root.appending(path: $0), encoding: .utf8)
                    .split(separator: "\n", omittingEmptySubsequences: false))
        }
        for block in try page.blocks() where block.language == "swift" {
            let sample = unindented(block.lines)
            #expect(
                !sample.isEmpty && files.contains { $0.contains(sample) },
                "\(page.path), \(block.section):\n\(block.lines.joined(separator: "\n"))")
        }
    }

    @Test("shows code in no language that is not held to what runs", arguments: Page.book)
    func languages(page: Page) throws {
        let drawing = ""
        for block in try page.blocks() {
            #expect(["swift", "console", drawing].contains(block.language), "\(page.path): ```\(block.language)")
            #expect(block.language == drawing || !block.lines.isEmpty)
        }
    }

    @Test("leave no page out: the front page lists each article, and each is read here")
    func allPages() throws {
        let frontPage = "Sources/BinderyKit/Bindery.docc/Bindery.md"
        let listed = try String(contentsOf: Page.root.appending(path: frontPage), encoding: .utf8)
            .matches(of: /\n- <doc:(\w+)>/).map { "Sources/BinderyKit/Bindery.docc/\($0.1).md" }
        #expect((listed + [frontPage]).sorted() == Page.book.map(\.path))
        // What is found in none would pass.
        #expect(try Page.all.flatMap { try $0.blocks() }.count { $0.language == "swift" } > 40)
    }

    @Test("print what they say when a server of their own is asked, as they say", arguments: Page.all)
    func transcripts(page: Page) async throws {
        for (section, blocks) in Dictionary(grouping: try page.blocks(), by: \.section) {
            let lines = blocks.filter { $0.language == "console" }.flatMap(\.lines).map(String.init)
            guard !lines.isEmpty else { continue }
            let transcript = Transcript(lines)
            let answers = try await transcript.run(
                against: section == "Your own view model in ten minutes" ? "Tickets" : "bindery")
            #expect(answers == transcript.answers, "\(page.path), \(section)")
        }
    }

    /// The lines without what they begin with, which differs with the depth at which a sample stands.
    private func unindented(_ lines: [Substring]) -> String {
        lines.map { "\n\($0.drop { $0 == " " })" }.joined() + "\n"
    }
}
