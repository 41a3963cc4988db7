import Events
import Foundation
import Testing

@testable import Service

/// Protects operators from events that the page does not explain.
@Suite("docs/events.md")
struct EventsPageTests {
    /// The levels of events, by name.
    private static let rows: [String: String] = {
        let path = URL(filePath: #filePath).appending(path: "../../../../docs/events.md").standardized
        let page = (try? String(contentsOf: path, encoding: .utf8)) ?? ""
        let rows = page.matches(of: /\n\| `([a-z-]+)` \| `([a-z]+)`[^|]* \|[^|]+\|[^|]*\|/)
        return Dictionary(uniqueKeysWithValues: rows.map { (String($0.1), String($0.2)) })
    }()

    private static let kinds = Event.Kind.ofServer + [.startFailed, .variableIgnored, .linesDropped]

    @Test("has a row for each event, with its level", arguments: kinds)
    func row(kind: Event.Kind) { #expect(Self.rows[kind.name] == kind.level.rawValue) }

    @Test("has no row for an event that does not exist")
    func others() {
        #expect(Set(Self.rows.keys).subtracting(["request"]).subtracting(Self.kinds.map(\.name)) == [])
    }
}
