import Foundation
import Testing

@Suite("What the library says of its options")
struct OptionNameTests {
    /// The code of what hosts import, without comments, with texts of several lines put together, and without the commands of
    /// `bindery` that they quote.
    private static func files() throws -> [(name: String, code: String)] {
        try ["Sessions", "Service", "HTTP", "SQLiteStore", "ViewModelContract"].flatMap { room in
            let folder = sourceFile("Sources/\(room)")
            let files = FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil)
            return try (files?.compactMap { $0 as? URL } ?? []).filter { $0.pathExtension == "swift" }.map { file in
                let code = try String(contentsOf: file, encoding: .utf8).split(separator: "\n")
                    .filter { !$0.trimmingPrefix(while: \.isWhitespace).hasPrefix("//") }.joined(separator: "\n")
                return (
                    file.lastPathComponent,
                    code.replacing(/"\s+\+ "/, with: "").replacing(/'bindery [^']*'/, with: "")
                )
            }
        }
    }

    @Test("has the name in Swift first, and behind it the one of the command line, as README.md pairs them")
    func both() throws {
        let rows = try String(contentsOf: sourceFile("README.md"), encoding: .utf8).split(separator: "\n")
            .filter { $0.hasPrefix("| `--") }.map { $0.split(separator: " | ") }
        let files = try Self.files()
        #expect(files.count > 100)
        var options: Set<Substring> = []
        for (name, code) in files {
            for match in code.matches(of: /(?:\((\w+); )?(--[a-z][a-z-]+)/) {
                options.insert(match.2)
                let isPaired = rows.contains { cells in
                    let names = cells[2].split { "`. ".contains($0) }
                    return cells[0].split { "`,=[| ".contains($0) }.contains(match.2)
                        && match.1.map { names.contains($0) } == true
                }
                #expect(isPaired, "\(name): \(match.0)")
            }
        }
        #expect(options.count > 10)
    }
}
