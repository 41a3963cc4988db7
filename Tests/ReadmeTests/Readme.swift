import Foundation

/// The README's sections on hosting a view model of one's own.
enum Readme {
    static let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../..").standardized

    /// The blocks of one language in a section, in order.
    static func blocks(
        _ language: String, under title: String = "Your own view model in ten minutes"
    ) throws -> [String] {
        let readme = try String(contentsOf: root.appending(path: "README.md"), encoding: .utf8)
        let section = readme.split(separator: "\n## ", omittingEmptySubsequences: true).first {
            $0.hasPrefix(title)
        }
        return (section ?? "").split(separator: "\n```\(language)\n").dropFirst().compactMap {
            $0.split(separator: "\n```", maxSplits: 1).first.map { $0 + "\n" }
        }
    }
}
