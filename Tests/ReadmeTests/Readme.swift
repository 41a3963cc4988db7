import Foundation

/// The README's section on hosting a view model of one's own.
enum Readme {
    static let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../..").standardized

    /// The blocks of one language, in order.
    static func blocks(_ language: String) throws -> [String] {
        let readme = try String(contentsOf: root.appending(path: "README.md"), encoding: .utf8)
        let section = readme.split(separator: "\n## ", omittingEmptySubsequences: true).first {
            $0.hasPrefix("Your own view model in ten minutes")
        }
        return (section ?? "").split(separator: "\n```\(language)\n").dropFirst().compactMap {
            $0.split(separator: "\n```", maxSplits: 1).first.map { $0 + "\n" }
        }
    }
}
