import Entities
import Foundation
import HTTP
import TestSupport
import Testing
import ViewModels

@testable import Service

/// A desk whose drawer is for staff, whose board is for everybody, and that can be closed to the public.
private struct Desk: ViewModel {
    var names: [String] = []
    var isOpen = true
    var drawer = "MARKER"
    var last = ""

    static let interface = Interface<Desk>("desk") {
        Output("names", \.names)
        Output("drawer", \.drawer)
        Output("last", \.last)
        Facet("board", showing: "names")
        Action("add", example: "Ann") { desk, name in desk.names.append(name) }
        Action("fill") { desk in
            desk.names = ["Eve"]
            desk.drawer = "MARKER 2"
        }
        Action("refuse") { _ in throw Refusal.disabled("No.") }
        Action("close", "For staff.") { desk, context in
            desk.isOpen = false
            desk.last = context.user?.id ?? "nobody"
        }.allowing("staff")
        Action("open") { $0.isOpen = true }.allowing("staff")
    }

    static func access(_ user: User?, _ desk: Desk) -> Access {
        // "owl" sees an empty desk whole.
        user?.roles.contains("staff") == true || user?.id == "owl" && desk.names.isEmpty
            ? .all : desk.isOpen ? .facet("board") : .none
    }
}

private struct Note: ViewModel {
    var by = ""
    static let interface = Interface<Note>("note") {
        Output("by", \.by)
        Action("write") { note, context in note.by = context.user?.id ?? "nobody" }
    }
}

/// Protects who may log in, see and act.
@Suite("Users")
struct UserTests {
    private struct Login: Codable { var name: String }

    private static let viewModels: [Declaration] = [
        .hosting(Note.self), .hosting(Desk.self, at: "desks", keys: .listed("main")),
    ]
    private static let json = "Content-Type: application/json"

    private func run(
        expires: Date? = nil, _ change: @escaping (inout BinderyServer.Options) -> Void = { _ in },
        _ test: (TestServer) async throws -> Void
    ) async throws {
        try await TestServer.run(
            Self.viewModels,
            options: { options in
                options.service.authenticate = { credentials in
                    if let user = credentials.forwardedUser { return User(user, roles: ["staff"]) }
                    if let words = credentials.authorization { return words == "Key ann" ? User("ann") : nil }
                    let name = try credentials.decode(Login.self).name
                    guard name != "locked" else { throw Refusal.disabled("The account is locked.") }
                    return name == "eve" ? nil : User(name, roles: name == "sam" ? ["staff"] : [], expires: expires)
                }
                change(&options)
            }, test)
    }

    private func login(_ name: String, at server: TestServer) async throws -> String {
        let reply = try await server.ask("POST", "/sessions", Self.json, body: #"{"name":"\#(name)"}"#)
        return "Authorization: Bearer \(try reply.string("token"))"
    }

    /// A poll and a stream that wait on the desk.
    private func waiting(_ caller: String, at server: TestServer) async throws -> (poll: Connection, Connection) {
        let tag = try await server.ask("GET", "/desks/main", caller)["etag"]
        let (poll, stream) = (try Connection(server.port), try Connection(server.port))
        try stream.send("GET", "/desks/main/changes", [caller, "Accept: text/event-stream"])
        _ = try await stream.reply()
        _ = try await stream.event()
        try poll.send("GET", "/desks/main/changes?since=\(tag?.filter { $0 != "\"" } ?? "")", [caller])
        try await server.waits(2, on: EntityID(kind: "desks", text: "desks/main"))
        return (poll, stream)
    }

    @Test("A session begins with credentials, and its actions know the user")
    func login() async throws {
        try await run { server in
            let ann = try await login("ann", at: server)
            #expect(try await server.ask("POST", "/note/write", ann).string("by") == "ann")
            let nobody = try await server.begin()
            #expect(try await server.ask("POST", "/note/write", nobody).string("by") == "nobody")
            let sam = try await login("sam", at: server)
            let shown = try await server.ask("GET", "/session", sam).text
            #expect(shown.contains(#""user":{"id":"sam","roles":["staff"]},"#))
            #expect(try await !server.ask("GET", "/session", nobody).text.contains("user"))
            let key = try await server.ask("POST", "/sessions", "Authorization: Key ann")
            let token = "Authorization: Bearer \(try key.string("token"))"
            #expect(try await server.ask("POST", "/note/write", token).string("by") == "ann")
            let basic = try await server.ask("POST", "/sessions", "Authorization: Basic YTpi")
            #expect(basic.problem == "login-failed")
            // A session's own token is no credential.
            #expect(try await server.ask("POST", "/sessions", token).status == 201)
        }
    }

    @Test(
        "Credentials that are not accepted begin no session",
        arguments: [
            (#"{"name":"eve"}"#, 401, "login-failed"), (#"{"name":7}"#, 422, "wrong-shape"),
            ("{", 400, "malformed-json"), (#"{"name":"locked"}"#, 409, "action-disabled"),
        ])
    func refused(body: String, status: Int, problem: String) async throws {
        try await run { server in
            let reply = try await server.ask("POST", "/sessions", Self.json, body: body)
            #expect(reply.status == status && reply.problem == problem)
            #expect(reply["set-cookie"] == nil)
        }
    }

    @Test("A login that hangs is given up after the time of an action")
    func hangs() async throws {
        let (gate, timer) = (Gate(), ManualTime())
        try await TestServer.run(Self.viewModels, timer: timer) {
            $0.service.authenticate = { _ in
                await gate.pass()
                return User("ann")
            }
        } _: { server in
            let client = try Connection(server.port)
            try client.send("POST", "/sessions", body: "{}")
            await gate.arrivals(1)
            timer.advance(by: .seconds(31))
            #expect(try await client.reply().problem == "action-timeout")
            await gate.open()
        }
    }

    @Test("A network whose logins fail too often, or that begins too many sessions, has to wait")
    func limited() async throws {
        let limits = { (options: inout BinderyServer.Options) in
            options.service.failedLoginsPerMinute = 2
            options.service.newSessionsPerMinute = 4
            options.trustedProxies = [IPNetwork("127.0.0.1")].compactMap { $0 }
        }
        try await run(limits) { server in
            func login(from address: String, _ name: String) async throws -> Int {
                let fields = [Self.json, "X-Forwarded-For: \(address)"]
                return try await server.ask("POST", "/sessions", fields, body: #"{"name":"\#(name)"}"#).status
            }
            var statuses: [Int] = []
            for name in ["eve", "eve", "eve", "ann"] { statuses.append(try await login(from: "192.0.2.1", name)) }
            for _ in 0..<5 { statuses.append(try await login(from: "192.0.2.2", "ann")) }
            #expect(statuses == [401, 401, 429, 429, 201, 201, 201, 201, 429])
        }
    }

    @Test("A proxy names the user, if it is trusted", arguments: [true, false])
    func forwarded(isTrusted: Bool) async throws {
        let options = { (options: inout BinderyServer.Options) in
            options.service.userHeader = "X-Forwarded-User"
            if isTrusted { options.trustedProxies = [IPNetwork("127.0.0.1")].compactMap { $0 } }
        }
        try await run(options) { server in
            let begun = try await server.ask("POST", "/sessions", "X-Forwarded-User: sam")
            let token = "Authorization: Bearer \(try begun.string("token"))"
            #expect(try await server.ask("POST", "/note/write", token).string("by") == (isTrusted ? "sam" : "nobody"))
            let other = try await server.ask("POST", "/sessions", "X-Forwarded-User: jürgen").string("token")
            let name = try await server.ask("POST", "/note/write", "Authorization: Bearer \(other)").string("by")
            #expect(name == (isTrusted ? "jürgen" : "nobody"))
        }
    }

    @Test("An action for staff is 403 for others, before it runs")
    func roles() async throws {
        try await run { server in
            let (ann, sam) = (try await login("ann", at: server), try await login("sam", at: server))
            for caller in [[ann], []] {
                let reply = try await server.ask("POST", "/desks/main/close", caller)
                #expect(reply.status == 403 && reply.problem == "not-allowed")
            }
            #expect(try await server.ask("POST", "/desks/main/close", sam).string("last") == "sam")
        }
    }

    @Test("No action tells those who may not see an entity that it is there")
    func probing() async throws {
        try await run { server in
            let (ann, sam) = (try await login("ann", at: server), try await login("sam", at: server))
            #expect(try await server.ask("POST", "/desks/main/close", sam).status == 200)
            for action in ["open", "add", "refuse"] {
                let reply = try await server.ask("POST", "/desks/main/\(action)", [ann, Self.json], body: #""Bob""#)
                #expect(reply.status == 404, "\(action)")
            }
            let malformed = [
                ("GET", "If-Match: bad", 400), ("GET", "If-None-Match: x", 400),
                ("POST", "Content-Type: text/plain", 415),
                ("POST", "If-Match: bad", 400), ("POST", "Idempotency-Key: a b", 400),
            ]
            for (method, field, status) in malformed {
                for key in ["main", "none"] {
                    let path = "/desks/\(key)" + (method == "POST" ? "/add" : "")
                    let body = method == "POST" ? #""Bob""# : nil
                    let reply = try await server.ask(method, path, ann, field, body: body)
                    #expect(reply.status == status, "\(field) \(key)")
                }
            }
        }
    }

    @Test("What only staff may see appears nowhere else, and a closed desk is 404 for others")
    func leaks() async throws {
        try await run { server in
            let (ann, sam) = (try await login("ann", at: server), try await login("sam", at: server))
            let (path, key) = ("/desks/main", "Idempotency-Key: k")
            func replies(_ caller: String) async throws -> [Reply] {
                var replies: [Reply] = []
                for path in ["", "/board", "/changes?wait=0", "/changes?wait=0&topics=desks/main"] {
                    replies.append(try await server.ask("GET", "/desks/main" + path, caller))
                    replies.append(try await server.ask("HEAD", "/desks/main" + path, caller))
                }
                let tag = replies[0]["etag"] ?? "\"none\""
                let cursor = tag.filter { $0 != "\"" }
                replies.append(try await server.ask("GET", path, caller, "If-None-Match: \(tag)"))
                for fields in [[], ["If-Match: \"1.x\""], ["If-Match: \(tag)"], [key], [key]] {
                    replies.append(
                        try await server.ask("POST", "\(path)/add", [caller, Self.json] + fields, body: #""Ann""#))
                }
                replies.append(try await server.ask("POST", "\(path)/refuse", caller, "Idempotency-Key: r"))
                replies.append(try await server.ask("POST", "\(path)/refuse", caller, "Idempotency-Key: r"))
                replies.append(try await server.ask("GET", "\(path)/changes?since=\(cursor)", caller))
                let stream = try Connection(server.port)
                try stream.send("GET", "\(path)/changes?since=\(cursor)", [caller, "Accept: text/event-stream"])
                let head = try await stream.reply()
                let event = head.status == 200 ? try await stream.event().data : ""
                replies.append(Reply(status: head.status, headers: head.headers, body: head.body + Array(event.utf8)))
                return replies
            }
            let seen = try await replies(sam)
            #expect(seen.contains { $0.text.contains("MARKER") })
            for reply in try await replies(ann) {
                #expect(![401, 404, 500].contains(reply.status), "\(reply)")
                #expect(!reply.text.contains("MARKER") && !reply.text.contains("drawer"), "\(reply)")
            }
            // Under another sight, a cursor is none.
            let cursor = seen[0]["etag"]?.filter { $0 != "\"" } ?? ""
            let other = try await server.ask("GET", "\(path)/changes?since=\(cursor)", ann)
            #expect(other.text.contains(#""kind":"snapshot""#))
            let topic = try await server.ask("GET", "\(path)/changes?wait=0&topics=desks/main", ann)
            #expect(topic.status == 200 && topic.text.contains("names"))
            _ = try await server.ask("POST", "\(path)/close", sam)
            for reply in try await replies(ann) where reply["idempotency-replayed"] == nil {
                #expect(reply.status == 404, "\(reply)")
            }
            #expect(!server.log.entries.contains { "\($0)".contains("MARKER") })
        }
    }

    @Test("A poll and a stream tell nothing of a state that the caller may not see any more")
    func taken() async throws {
        try await run { server in
            let (ann, sam) = (try await login("ann", at: server), try await login("sam", at: server))
            let (poll, stream) = try await waiting(ann, at: server)
            // The facet shows the same, so the commit alone wakes nobody.
            _ = try await server.ask("POST", "/desks/main/close", sam)
            _ = try await server.ask("POST", "/desks/main/add", sam, Self.json, body: #""Eve""#)
            let reply = try await poll.reply()
            #expect(reply.status == 404 && !reply.text.contains("Eve"))
            await #expect(throws: (any Error).self) { try await stream.event() }
            // Opened again, the desk shows its board.
            _ = try await server.ask("POST", "/desks/main/open", sam)
            #expect(try await server.ask("GET", "/desks/main", ann).text == #"{"names":["Eve"]}"#)
        }
    }

    @Test("A poll whose caller sees less meanwhile tells nothing, and its cursor gets a snapshot of the rest")
    func less() async throws {
        try await run { server in
            let owl = try await login("owl", at: server)
            let tag = try await server.ask("GET", "/desks/main", owl)["etag"]
            let poll = try Connection(server.port)
            try poll.send("GET", "/desks/main/changes?since=\(tag?.filter { $0 != "\"" } ?? "")", [owl])
            try await server.waits(1, on: EntityID(kind: "desks", text: "desks/main"))
            _ = try await server.ask("POST", "/desks/main/fill")
            let idle = try await poll.reply()
            #expect(try idle.string("kind") == "idle" && !idle.text.contains("MARKER"))
            // With the head's own seq, the snapshot would take a second.
            _ = try await server.ask("POST", "/desks/main/add", Self.json, body: #""Ann""#)
            let cursor = try idle.string("cursor")
            let text = try await server.ask("GET", "/desks/main/changes?since=\(cursor)", owl).text
            #expect(text.contains(#""kind":"snapshot""#) && text.contains("Eve") && !text.contains("MARKER"))
        }
    }

    @Test("The end of a session ends its polls and streams on a named entity")
    func sessionEnds() async throws {
        try await run { server in
            let ann = try await login("ann", at: server)
            let (poll, stream) = try await waiting(ann, at: server)
            #expect(try await server.ask("DELETE", "/session", ann).status == 204)
            let reply = try await poll.reply()
            #expect(reply.status == 401 && reply.problem == "session-ended")
            #expect(try await stream.event().name == "session-ended")
            #expect(try await server.ask("GET", "/desks/main", ann).status == 401)
        }
    }

    @Test("The end of a session on one replica ends its wait on another")
    func sessionEndsElsewhere() async throws {
        let store = MemoryStore(isShared: true) { .zero }
        func options(_ options: inout BinderyServer.Options) {
            options.service.authenticate = { User(try $0.decode(Login.self).name) }
        }
        try await TestServer.run(Self.viewModels, store: store, options: options) { one in
            try await TestServer.run(Self.viewModels, store: store, options: options) { two in
                let ann = try await login("ann", at: one)
                let tag = try await two.ask("GET", "/desks/main", ann)["etag"]?.filter { $0 != "\"" } ?? ""
                let poll = try Connection(two.port)
                try poll.send("GET", "/desks/main/changes?since=\(tag)", [ann])
                try await two.waits(1, on: EntityID(kind: "desks", text: "desks/main"))
                _ = try await one.ask("DELETE", "/session", ann)
                #expect(try await poll.reply().problem == "session-ended")
            }
        }
    }

    @Test("A user lists and ends its sessions, and no other's")
    func sessions() async throws {
        try await run { server in
            let (first, second) = (try await login("ann", at: server), try await login("ann", at: server))
            let bob = try await login("bob", at: server)
            let list = try await server.ask("GET", "/sessions", first).text
            #expect(list.components(separatedBy: #""id":"#).count == 3 && list.contains(#""current":true"#))
            let id = try await server.ask("GET", "/session", second).string("id")
            #expect(try await server.ask("DELETE", "/sessions/\(id)", bob).status == 404)
            #expect(try await server.ask("DELETE", "/sessions/\(id)", first).status == 204)
            #expect(try await server.ask("GET", "/session", second).status == 401)
            let anonymous = try await server.ask("GET", "/sessions", try await server.begin())
            #expect(anonymous.status == 403 && anonymous.problem == "user-required")
        }
    }

    @Test("A session ends when its user says", arguments: [true, false])
    func expires(isInMemory: Bool) async throws {
        let timer = ManualTime()
        let store = MemoryStore { timer.now }
        var token = ""
        func run(_ expires: Date, _ test: (TestServer) async throws -> Void) async throws {
            try await TestServer.run(
                Self.viewModels, store: store, timer: timer,
                options: { $0.service.authenticate = { _ in User("ann", expires: expires) } }, test)
        }
        try await run(Date() + (isInMemory ? 3_600 : 0.001)) { server in
            token = try await login("ann", at: server)
            guard isInMemory else { return }
            #expect(try await server.ask("GET", "/session", token).status == 200)
            timer.advance(by: .seconds(3_601))
            #expect(try await server.ask("GET", "/session", token).status == 401)
        }
        guard !isInMemory else { return }
        try await run(Date()) { server in
            let reply = try await server.ask("GET", "/session", token)
            #expect(reply.status == 401)
        }
    }
}
