import Foundation
import Testing

@testable import BinderyKit

/// Protects operators from options that the page does not explain.
@Suite("docs/options.md")
struct OptionsPageTests {
    private static let page: String = {
        let path = URL(filePath: #filePath).appending(path: "../../../../docs/options.md").standardized
        return (try? String(contentsOf: path, encoding: .utf8)) ?? ""
    }()

    /// The first cells of an option's row.
    private static let rows = Command.serve.options.map { option in
        "\n| `\(option.usage.replacing("|", with: "\\|"))` | `\(option.variable)` |"
    }

    @Test("has a row for each option of serve, with its variable", arguments: rows)
    func row(start: String) { #expect(Self.page.contains(start)) }

    @Test("has no row for an option that does not exist")
    func others() { #expect(Self.page.matches(of: /\n\| `--/).count == Self.rows.count) }
}
