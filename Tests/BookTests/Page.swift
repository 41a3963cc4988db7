import Foundation
import Testing

/// A page whose code is held to files that are compiled: the README, or an article, in the documentation or in `docs`.
struct Page: Sendable, CustomTestStringConvertible {
    static let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../..").standardized
    private static let bookFolder = "Sources/BinderyKit/Bindery.docc"

    /// The articles; script/docs adds those of `docs` to the documentation.
    static let book =
        files(under: bookFolder).filter { $0.hasSuffix(".md") }.map(Page.init)
        + ["writing", "cookbook", "changing", "testing"].map { Page(path: "docs/\($0).md") }
    static let all = [Page(path: "README.md")] + book

    /// The path from the repository's root.
    let path: String
    var testDescription: String { path }

    /// A piece of code between two fences.
    struct Block {
        let language: String
        /// The title of the `## ` section around it.
        let section: String
        let lines: [Substring]
    }

    func blocks() throws -> [Block] {
        var (blocks, section, open): ([Block], String, (language: String, lines: [Substring])?) = ([], "", nil)
        for line in try Self.lines(of: path) {
            if let block = open {
                if line.hasPrefix("```") {
                    blocks.append(Block(language: block.language, section: section, lines: block.lines))
                    open = nil
                } else {
                    open?.lines.append(line)
                }
            } else if line.hasPrefix("```") {
                open = (String(line.dropFirst(3)), [])
            } else if line.hasPrefix("## ") {
                section = String(line.dropFirst(3))
            }
        }
        #expect(open == nil, "\(path): the last block has no end")
        return blocks
    }

    static func lines(of path: String) throws -> [Substring] {
        try String(contentsOf: root.appending(path: path), encoding: .utf8)
            .split(separator: "\n", omittingEmptySubsequences: false)
    }

    /// The paths, from the root, of all files in a folder and below it.
    static func files(under folder: String) -> [String] {
        let files = FileManager.default.enumerator(atPath: root.appending(path: folder).path)
        return (files?.compactMap { $0 as? String } ?? []).map { "\(folder)/\($0)" }.sorted()
    }
}
