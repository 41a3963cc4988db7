import BinderyKit
import BinderyTesting
import Foundation
import TestSupport
import Testing
import ViewModels

@testable import BinderyClient

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// A list by key that a test sets as a whole.
private struct Listed: ViewModel {
    struct Row: Codable, Equatable, Sendable { var id: String, value: Int }
    var rows: [Row] = []

    static let interface = Interface<Listed>("listed") {
        Output("rows", \.rows, by: \.id)
        Action("set", example: [Row(id: "a", value: 1)]) { $0.rows = $1 }
    }
}

/// Protects lists by key in the feed: folded from any cursor, they are what GET shows, in Swift and in JavaScript.
@Suite("Rows")
struct RowTests {
    private struct Feed: Decodable { let kind, cursor: String, changes: [RemoteChange], rows: [String: Int]? }

    /// Random edits of a list: changes, insertions, moves, removals, and rows that come back.
    private func edited(_ rows: [Listed.Row], _ dice: inout any RandomNumberGenerator) -> [Listed.Row] {
        var rows = rows
        for _ in 0..<Int.random(in: 1...3, using: &dice) {
            let place = rows.indices.randomElement(using: &dice)
            switch Int.random(in: 0..<4, using: &dice) {
            case 0: if let place { rows[place].value += 1 }
            case 1: if let place { rows.remove(at: place) }
            case 2:
                guard let place else { continue }
                let row = rows.remove(at: place)
                rows.insert(row, at: Int.random(in: 0...rows.count, using: &dice))
            default:
                let id = "\(Int.random(in: 0..<12, using: &dice))"
                guard !rows.contains(where: { $0.id == id }) else { continue }
                let row = Listed.Row(id: id, value: 0)
                rows.insert(row, at: Int.random(in: 0...rows.count, using: &dice))
            }
        }
        return rows
    }

    @Test("whose keys differ only in their bytes are two rows")
    func bytes() throws {
        func row(_ id: String, _ value: Int) -> String { #"{"id":"\#(id)","value":\#(value)}"# }
        let (one, other) = ("\u{e9}", "e\u{301}")
        let change =
            #"[{"seq":2,"viewModel":"listed","output":"rows","by":"id","key":"\#(other)","value":\#(row(other, 2))}]"#
        let list = try JSON.decode([JSONValue].self, from: Array("[\(row(one, 1)),\(row(other, 1))]".utf8))
        let rows = try JSON.decode([RemoteChange].self, from: Array(change.utf8)).rows(of: list)
        #expect(JSONValue.array(rows ?? []).text == Array("[\(row(one, 1)),\(row(other, 2))]".utf8))
    }

    @Test("folded from every cursor are the list")
    func folded() async throws {
        var dice: any RandomNumberGenerator = SystemRandomNumberGenerator()
        try await withServer(viewModels: [.hosting(Listed.self)]) { server in
            let session = try await server.session()
            func feed(since cursor: String) async throws -> (Feed, Data) {
                let request = session.request("GET", "/changes?wait=0&since=\(cursor)")
                let body = try await URLSession.shared.data(for: request).0
                return (try JSON.decode(Feed.self, from: Array(body)), body)
            }
            var known: [(cursor: String, list: [JSONValue])] = []
            var (rows, cases) = ([Listed.Row](), [String]())
            for _ in 0..<40 {
                rows = edited(rows, &dice)
                let answer = try await session.act("set", of: "listed", json: try JSON.encode(rows))
                let list = try #require(try answer.decode([String: [JSONValue]].self)["rows"])
                for (cursor, old) in known {
                    let (feed, body) = try await feed(since: cursor)
                    guard feed.kind == "delta" else { continue }
                    let isWhole = feed.changes.contains { $0.row == nil }
                    #expect(!isWhole && feed.rows == ["listed.rows": rows.count])
                    #expect(feed.changes.rows(of: old) == list)
                    func text(_ list: [JSONValue]) -> String {
                        String(decoding: JSONValue.array(list).text, as: UTF8.self)
                    }
                    cases.append(
                        #"{"old":\#(text(old)),"feed":\#(String(decoding: body, as: UTF8.self)),"new":\#(text(list))}"#)
                }
                known.append((try answer.cursor.description, list))
            }
            #expect(cases.count > 300)
            let script = """
                import { readFileSync } from "node:fs"
                import { fold } from "./bindery.mjs"
                for (const { old, feed, new: list } of JSON.parse(readFileSync(new URL("cases.json", import.meta.url))))
                    if (JSON.stringify(feed.changes.reduce(fold, old)) != JSON.stringify(list)) process.exit(1)
                """
            #expect(try await run(script, cases) == 0)
        }
    }

    /// Runs a script beside the one that pages load, and beside the cases; returns how it exits.
    private func run(_ script: String, _ cases: [String] = []) async throws -> Int32 {
        let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let sources = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../Sources/WebFiles")
        try FileManager.default.copyItem(
            at: sources.appending(path: "bindery.js"), to: folder.appending(path: "bindery.mjs"))
        try "[\(cases.joined(separator: ","))]".write(
            to: folder.appending(path: "cases.json"), atomically: true, encoding: .utf8)
        try script.write(to: folder.appending(path: "check.mjs"), atomically: true, encoding: .utf8)
        return try await onThread {
            try Child("/usr/bin/env", ["node", folder.appending(path: "check.mjs").path]).wait()
        }
    }

    @Test("of a named entity are followed by a page")
    func page() async throws {
        let lists = Declaration.hosting(Listed.self, at: "lists", keys: .listed("main"))
        try await withServer(viewModels: [.hosting(Listed.self), lists]) { server in
            let url = server.url.absoluteString
            let script = """
                setTimeout(() => process.exit(2), 240_000)
                Object.assign(globalThis, { document: { hidden: false }, addEventListener() {} })
                globalThis.navigator ??= {}
                globalThis.crypto ??= (await import("node:crypto")).webcrypto
                const { connect } = await import("./bindery.mjs")
                const page = await connect({ url: "\(url)", public: true, entity: "lists/main" })
                const list = page.viewModel("lists/main")
                const shown = []
                list.observe(({ rows }) => shown.push(rows?.map(({ id }) => id).join("")))
                const set = (ids) => list.set([...ids].map((id) => ({ id, value: 0 })))
                const [headers, body] = [{ "Content-Type": "application/json" }, '[{"id":"a","value":0}]']
                await fetch("\(url)/lists/main/set", { method: "POST", headers, body })
                while (shown.at(-1) != "a") await new Promise((done) => setTimeout(done, 1))
                await set("cab")
                await set("ca")
                process.exit(shown.at(-1) == "ca" ? 0 : 1)
                """
            let status = try await run(script)
            #expect(status == 0)
        }
    }

    @Test("come as a whole list where too many were removed, and after a restart")
    func whole() async throws {
        try await withServer(viewModels: [.hosting(Listed.self)], options: .large) { server in
            let session = try await server.session()
            let rows = (0..<300).map { Listed.Row(id: "\($0)", value: 0) }
            func set(_ rows: [Listed.Row]) async throws -> String {
                try await session.act("set", of: "listed", json: try JSON.encode(rows)).cursor.description
            }
            func isWhole(since cursor: String) async throws -> Bool {
                let request = session.request("GET", "/changes?wait=0&since=\(cursor)")
                let feed = try JSON.decode(Feed.self, from: Array(try await URLSession.shared.data(for: request).0))
                return feed.changes.map(\.row) == [nil]
            }
            let (full, half) = (try await set(rows), try await set(Array(rows[..<200])))
            let few = try await set([])
            #expect(try await isWhole(since: full))
            #expect(try await !isWhole(since: half))
            try await server.restart()
            _ = try await set(Array(rows[..<1]))
            #expect(try await isWhole(since: half))
            #expect(try await !isWhole(since: few))
        }
    }

    @Test("of a list of 3,000 travel in less than a kilobyte, where one changed")
    func size() async throws {
        try await withServer(viewModels: [.hosting(Listed.self)], options: .large) { server in
            let session = try await server.session()
            var rows = (0..<3_000).map { Listed.Row(id: "\($0)", value: 0) }
            let cursor = try await session.act("set", of: "listed", json: try JSON.encode(rows)).cursor
            rows[1_500].value = 1
            rows.append(rows.remove(at: 7))
            _ = try await session.act("set", of: "listed", json: try JSON.encode(rows))
            let request = session.request("GET", "/changes?wait=0&since=\(cursor)")
            let body = try await URLSession.shared.data(for: request).0
            #expect(body.count < 1_000, "\(String(decoding: body, as: UTF8.self))")
        }
    }
}

extension BinderyServer.Options {
    /// Takes bodies of up to a mebibyte.
    fileprivate static var large: BinderyServer.Options {
        var options = BinderyServer.Options()
        options.server.bodyBytes = 1 << 20
        return options
    }
}
