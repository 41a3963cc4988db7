import Events
import Foundation
import Testing

@testable import Service

/// Protects operators from events that the page does not explain.
@Suite("docs/events.md")
struct EventsPageTests {
    /// The rows of events: the name, the level, and the text of the fields.
    private static let rows: [String: (level: String, fields: String)] = {
        let path = URL(filePath: #filePath).appending(path: "../../../../docs/events.md").standardized
        let page = (try? String(contentsOf: path, encoding: .utf8)) ?? ""
        let rows = page.matches(of: /\n\| `([a-z-]+)` \| `([a-z]+)`[^|]* \|[^|]+\|([^|]*)\|/)
        return Dictionary(uniqueKeysWithValues: rows.map { (String($0.1), (String($0.2), String($0.3))) })
    }()

    private static let kinds = Event.Kind.ofServer + [.startFailed, .variableIgnored, .linesDropped]

    @Test("has a row for each event, with its level and its fields", arguments: kinds)
    func row(kind: Event.Kind) throws {
        let row = try #require(Self.rows[kind.name])
        #expect(row.level == kind.level.rawValue)
        for field in kind.fields { #expect(row.fields.contains("`\(field)`"), "\(field)") }
    }

    @Test("has no row for an event that does not exist")
    func others() {
        #expect(Set(Self.rows.keys).subtracting(["request"]).subtracting(Self.kinds.map(\.name)) == [])
    }
}
