import Events
import Foundation
import HTTP
import PostgresStore
import SQLiteStore
import Samples
import Service
import TestSupport
import Testing

@Suite("docs/metrics.md")
struct MetricsPageTests {
    /// The rows of the page's tables: name, kind, labels.
    private func rows() throws -> Set<[String]> {
        let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appending(path: "../../../docs/metrics.md").standardized
        let rows = try String(contentsOf: file, encoding: .utf8).split(separator: "\n").compactMap { line in
            line.wholeMatch(of: /\| `([a-z_]+)` \| ([a-z]+) \| (.*?) ?\| .*/).map { match in
                let labels = match.3.matches(of: /`([a-z_]+)`/).map { String($0.1) }
                return [String(match.1), String(match.2)] + labels
            }
        }
        return Set(rows)
    }

    @Test("lists every metric that there is, and no other, with its kind and its labels")
    func whole() async throws {
        try await withTemporaryDirectory { directory in
            let store = try SQLiteStore(path: "\(directory)/store.db")
            try await store.backup(to: "\(directory)/backup.db")
            var options = BinderyServer.Options()
            options.port = 0
            options.admin = BinderyServer.Options.Address(host: "127.0.0.1", port: 0)
            let server = BinderyServer(
                catalogue: .samples, store: store, options: options, log: LogWriter(format: .json) { _ in })
            _ = try server.start()
            var shown: [String: Set<String>] = [:]
            let uri = try await PostgresServer.ready().uri()
            let shared = try await onThread { try PostgresStore(uri: uri) }
            for measure in await server.measures() + shared.measures {
                shown["\(measure.name) \(measure.kind.rawValue)", default: []]
                    .formUnion(measure.samples.flatMap(\.labels).map(\.name).filter { $0 != "le" })
            }
            await server.stop()
            await shared.close()
            let rows = try rows()
            #expect(Set(rows.map { "\($0[0]) \($0[1])" }) == Set(shown.keys))
            for row in rows {
                // What has not happened yet has no labels to see.
                let labels = shown["\(row[0]) \(row[1])"] ?? []
                #expect(labels.isEmpty || labels == Set(row.dropFirst(2)), "\(row[0])")
            }
            await store.close()
        }
    }
}
