import Events
import Foundation
import Testing

@testable import PostgresStore
@testable import SQLiteStore
@testable import Service

@Suite("docs/events.md")
struct EventsPageTests {
    /// The rows of the page's tables: event, levels, and every other word that is set as code.
    private func rows() throws -> [(event: String, levels: String, fields: String)] {
        let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appending(path: "../../../docs/events.md").standardized
        return try String(contentsOf: file, encoding: .utf8).split(separator: "\n").compactMap { line in
            guard let match = line.wholeMatch(of: /\| `([a-z-]+)` \| (.*?) \| .* \| (.*?)\|/) else { return nil }
            return (String(match.1), String(match.2), String(match.3))
        }
    }

    @Test("lists every event that there is, and no other, with its level and its fields in their order")
    func whole() throws {
        let kinds = Event.Kind.ofServer + Event.Kind.ofStores + Event.Kind.ofStore + Event.Kind.ofPostgres
        let rows = try rows()
        #expect(Set(rows.map(\.event)) == Set(kinds.map(\.name)))
        #expect(rows.count == kinds.count)
        for kind in kinds {
            let row = try #require(rows.first { $0.event == kind.name })
            #expect(row.levels.hasPrefix("`\(kind.level)`"), "\(kind.name)")
            // What stands in parentheses explains.
            let plain = row.fields.replacing(/\([^)]*\)/, with: "")
            #expect(plain.matches(of: /`([A-Za-z]+)`/).map { String($0.1) } == kind.fields, "\(kind.name)")
        }
    }
}
