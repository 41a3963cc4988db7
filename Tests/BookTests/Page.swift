import Foundation
import Testing

/// A page whose samples are held to code: the README, or one of the documentation's.
struct Page: Sendable, CustomTestStringConvertible {
    static let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../..").standardized

    /// The articles of the documentation and its front page.
    static let book: [Page] = swiftOrMarkdown(under: "Sources/BinderyKit/Bindery.docc").map(Page.init)
    static let all = [Page(path: "README.md")] + book

    /// From the repository's root.
    let path: String
    var testDescription: String { path }

    /// A piece of code that stands between two fences.
    struct Block {
        /// Empty where the fence names none.
        let language: String
        /// The title of the section that it stands under, and begins with `## `.
        let section: String
        let lines: [Substring]
    }

    func blocks() throws -> [Block] {
        let text = try String(contentsOf: Self.root.appending(path: path), encoding: .utf8)
        var blocks: [Block] = []
        var section = ""
        var open: (language: String, lines: [Substring])?
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
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

    /// The paths, from the root, of the files in a folder and those below it, in order.
    static func swiftOrMarkdown(under folder: String) -> [String] {
        let files = FileManager.default.enumerator(atPath: root.appending(path: folder).path)
        return (files?.compactMap { $0 as? String } ?? [])
            .filter { ($0.hasSuffix(".swift") || $0.hasSuffix(".md")) && !$0.contains(".build/") }
            .map { "\(folder)/\($0)" }
            .sorted()
    }
}
