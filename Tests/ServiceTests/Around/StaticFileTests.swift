import Foundation
import TestSupport
import Testing

@testable import Service

@Suite("Static files", .timeLimit(.minutes(5)))
struct StaticFileTests {
    /// Serves a directory of these files, and of what is beside it.
    private func withFiles(
        _ files: [String: String], preparing prepare: ((String) throws -> Void)? = nil,
        _ test: (LiveService, String) async throws -> Void
    ) async throws {
        try await withTemporaryDirectory { place in
            let directory = place + "/files"
            for (path, text) in files {
                let url = URL(fileURLWithPath: "\(directory)/\(path)")
                try FileManager.default.createDirectory(
                    at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
                try Data(text.utf8).write(to: url)
            }
            try prepare?(place)
            try await withService {
                $0.service.staticFiles = directory
            } _: {
                try await test($0, directory)
            }
        }
    }

    @Test("are sent with their type, and known again by their tag until they are others")
    func types() async throws {
        try await withFiles(["a/app.js": "let a", "a b.css": "p {}", "x.unknown": ""]) { service, directory in
            let script = try await service.get("/a/app.js")
            #expect(script.status == 200 && script.text == "let a")
            #expect(script["Content-Type"] == "text/javascript; charset=utf-8")
            #expect(script["X-Content-Type-Options"] == "nosniff")
            #expect(script["Cache-Control"] == "no-cache")
            let tag = try #require(script["ETag"])
            let known = try await service.get("/a/app.js", "If-None-Match: \(tag)")
            #expect(known.status == 304 && known.body.isEmpty)
            try Data("let b".utf8).write(to: URL(fileURLWithPath: directory + "/a/app.js"))
            let other = try await service.get("/a/app.js", "If-None-Match: \(tag)")
            #expect(other.status == 200 && other.text == "let b")
            #expect(try await service.get("/a%20b.css?v=2")["Content-Type"] == "text/css; charset=utf-8")
            let unknown = try await service.get("/x.unknown")
            #expect(unknown.status == 200 && unknown["Content-Type"] == "application/octet-stream")
            let head = try await service.head("/a/app.js")
            #expect(head.status == 200 && head["Content-Length"] == "5" && head.body.isEmpty)
        }
    }

    @Test("a large one comes whole, over a connection that is kept")
    func large() async throws {
        let text = String(repeating: "0123456789abcdef", count: 200_000)
        try await withFiles(["large.txt": text, "small.txt": "small"]) { service, _ in
            let client = try await service.connect()
            for _ in 1...3 {
                let isWhole = try await client.get("/large.txt").text == text
                #expect(isWhole)
                #expect(try await client.get("/small.txt").text == "small")
            }
        }
    }

    @Test("a directory is its index.html, at a path that ends with a slash")
    func directories() async throws {
        try await withFiles(["board/index.html": "<p>board", "empty/a.txt": "a"]) { service, _ in
            let page = try await service.get("/board/")
            #expect(page.text == "<p>board" && page["Content-Type"] == "text/html; charset=utf-8")
            let moved = try await service.get("/board")
            #expect(moved.status == 308 && moved["Location"] == "/board/")
            #expect(try await service.get("/empty/").status == 404)
        }
    }

    @Test("index.html is / for browsers, instead of the page, which is at /bindery/ still, and JSON for others")
    func root() async throws {
        try await withFiles(["index.html": "<p>own"]) { service, _ in
            let own = try await service.get("/", "Accept: text/html")
            #expect(own.text == "<p>own" && own["Vary"] == "Accept")
            #expect(try await service.get("/")["Content-Type"] == "application/json")
            #expect(try await service.get("/bindery/").text.contains("<title>Bindery</title>"))
        }
        try await withFiles(["a.txt": ""]) { service, _ in
            let page = try await service.get("/", "Accept: text/html")
            #expect(page.text.contains("<title>Bindery</title>"))
        }
    }

    @Test(
        "nothing outside of the directory is served, and nothing whose name begins with a dot",
        arguments: [
            "/.secret", "/.git/config", "/../secret.txt", "/%2e%2e/secret.txt", "/a/..%2f..%2fsecret.txt",
            "/a/../../secret.txt", "/out.txt", "/out/secret.txt", "//etc/passwd", "/%2fetc%2fpasswd", "/a//b.txt",
            "/pipe", "/a/b/c/d/e/f/g/h/i/j/k/l/m/n/o/p/q/r%00.txt", "/nothing", "/a/b.txt/",
        ])
    func outside(path: String) async throws {
        func prepare(_ place: String) throws {
            try Data("secret".utf8).write(to: URL(fileURLWithPath: place + "/secret.txt"))
            let files = FileManager.default
            try files.createSymbolicLink(atPath: place + "/files/out.txt", withDestinationPath: place + "/secret.txt")
            try files.createSymbolicLink(atPath: place + "/files/out", withDestinationPath: place)
            try #require(mkfifo(place + "/files/pipe", 0o600) == 0)
        }
        try await withFiles([".secret": "s", ".git/config": "s", "a/b.txt": "b"], preparing: prepare) { service, _ in
            let answer = try await service.get(path)
            #expect([400, 404].contains(answer.status))
            #expect(!answer.text.contains("secret") && answer["Content-Type"] == "application/problem+json")
        }
    }

    @Test("what a link inside leads to is served, as where files are put in place by links")
    func links() async throws {
        func prepare(_ place: String) throws {
            try FileManager.default.createSymbolicLink(
                atPath: place + "/files/a.txt", withDestinationPath: ".data/a.txt")
        }
        try await withFiles([".data/a.txt": "a"], preparing: prepare) { service, _ in
            let answer = try await service.get("/a.txt")
            #expect(answer.text == "a")
        }
    }

    @Test("other routes win, and a file that is therefore hidden is found")
    func hidden() async throws {
        try await withFiles(["counter": "file", "bindery.js": "file", "own.js": "file"]) { service, _ in
            let counter = try await service.get("/counter")
            #expect(counter.text.contains("\"text\""))
            #expect(try await service.get("/own.js").text == "file")
            #expect(service.server.hiddenFiles == ["/bindery.js", "/counter"])
            #expect(try await service.post("/own.js").status == 404)
        }
    }

    @Test("one that becomes shorter while it is sent ends the connection")
    func shorter() async throws {
        let text = String(repeating: "0123456789abcdef", count: 4_000_000)
        try await withFiles(["large.txt": text]) { service, directory in
            let client = try await service.connect()
            try await client.send("GET", "/large.txt")
            // Far more than the sockets between them hold is still to be sent.
            let head = try await onThread { try client.raw.readHead() }
            #expect(head["Content-Length"] == "64000000")
            let file = try FileHandle(forWritingTo: URL(fileURLWithPath: directory + "/large.txt"))
            try file.truncate(atOffset: 10)
            let rest = try await onThread { try client.raw.readToEnd() }
            #expect(rest.count < 64_000_000)
            #expect(try await service.get("/large.txt").text == "0123456789")
        }
    }

    @Test("in a directory that is none keep the server from starting")
    func missing() {
        var options = BinderyServer.Options()
        options.port = 0
        options.service.staticFiles = "/nowhere/at/all"
        let server = BinderyServer(catalogue: .counterAndLogin, options: options)
        let error = #expect(throws: StaticFilesError.self) { _ = try server.start() }
        #expect(error?.description.contains("/nowhere/at/all") == true)
    }
}
