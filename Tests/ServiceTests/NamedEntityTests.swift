import Entities
import Testing
import ViewModels

@testable import Samples
@testable import Service

/// A desk that all sessions share, and orders that actions make.
private struct Desk: ViewModel {
    var names: [String] = []
    var drawer = 0

    static let interface = Interface<Desk>("desk", "Orders on a desk.") {
        Output("names", \.names)
        Output("drawer", \.drawer)
        Facet("board", "What everybody sees.", showing: "names")
        Action("add", example: "Ann") { desk, name in desk.names.append(name) }
        Action("close") { _, context in context.end() }
    }
}

private struct Order: ViewModel {
    var key = ""
    var state = "open"
    var by = ""

    static let interface = Interface<Order>("order", "One order.") {
        Output("key", \.key)
        Output("state", \.state)
        Output("by", \.by)
        Action("open", "Begins the order.") { order, context in
            order.key = context.key ?? ""
            order.by = context.sessionID
        }.making()
        Action("keep") { _ in }.making()
        Action("pay") { $0.state = "paid" }
        Action("close") { order, context in
            order.state = "closed"
            context.end()
        }
    }
}

/// Protects the contract of named entities on the wire.
@Suite("Named entities")
struct NamedEntityTests {
    private static let viewModels: [Declaration] = [
        .hosting(Desk.self, at: "desks", keys: .listed("main", "side")), .hosting(Counter.self),
        .hosting(Order.self, at: "orders", keys: .made),
    ]

    @Test("A listed entity exists from the start, and is the same for all sessions")
    func listed() async throws {
        try await TestServer.run(Self.viewModels) { server in
            let (ann, bob) = (try await server.begin(), try await server.begin())
            #expect(try await server.ask("GET", "/desks/main", ann).text == #"{"names":[],"drawer":0}"#)
            let added = try await server.ask(
                "POST", "/desks/main/add", ann, "Content-Type: application/json", body: #""Ann""#)
            #expect(added.status == 200)
            let seen = try await server.ask("GET", "/desks/main", bob)
            #expect(seen.text == #"{"names":["Ann"],"drawer":0}"# && seen["etag"] == added["etag"])
            #expect(try await server.ask("GET", "/desks/main/board").text == #"{"names":["Ann"]}"#)
            #expect(try await server.ask("GET", "/desks/side/board").text == #"{"names":[]}"#)
            #expect(try await server.ask("GET", "/counter").text.contains(#""text":"0""#))
            #expect(try await server.ask("GET", "/session").text.contains(#""viewModels":{"counter":{"#))
        }
    }

    @Test(
        "An entity that does not exist is 404, whatever is asked",
        arguments: [
            "GET /desks/other", "POST /desks/other/close", "GET /orders/7f3c", "POST /orders/7f3c/pay",
            "GET /orders/7f3c/changes", "GET /orders/a%20b", "POST /orders/a%20b/open",
        ])
    func missing(request: String) async throws {
        try await TestServer.run(Self.viewModels) { server in
            let words = request.split(separator: " ").map(String.init)
            let reply = try await server.ask(words[0], words[1])
            #expect(reply.status == 404 && reply.problem == "entity-unknown")
        }
    }

    @Test("An action that is declared so makes an entity; a second one is 409, a repeated key replays")
    func made() async throws {
        try await TestServer.run(Self.viewModels) { server in
            let key = "Idempotency-Key: a"
            let made = try await server.ask("POST", "/orders/7f3c/open", key)
            #expect(made.status == 200 && made.text.hasPrefix(#"{"key":"7f3c","state":"open","by":"public"}"#))
            let again = try await server.ask("POST", "/orders/7f3c/open", key)
            #expect(again.text == made.text && again["idempotency-replayed"] == "true")
            let second = try await server.ask("POST", "/orders/7f3c/open")
            #expect(second.status == 409 && second.problem == "exists")
            #expect(try await server.ask("POST", "/orders/7f3c/pay").status == 200)
            #expect(try await server.ask("GET", "/orders/7f3c").string("state") == "paid")
            #expect(try await server.ask("GET", "/orders/7f3d").status == 404)
        }
    }

    @Test("An action makes its entity also if it changes nothing")
    func unchanged() async throws {
        try await TestServer.run(Self.viewModels) { server in
            #expect(try await server.ask("POST", "/orders/1/keep").status == 200)
            #expect(try await server.ask("POST", "/orders/1/keep").problem == "exists")
            #expect(try await server.ask("GET", "/orders/1").string("state") == "open")
            let odd = try await server.ask("POST", "/orders/a.b/keep")
            #expect(try odd.status == 404 && odd.string("detail").contains("1 to 64"))
        }
    }

    @Test("A caller's key is not another caller's, and does not use up the other's")
    func keys() async throws {
        try await TestServer.run(Self.viewModels, options: { $0.sessions.keysPerSession = 1 }) { server in
            let (ann, bob) = (try await server.begin(), try await server.begin())
            let replies = [
                try await server.ask("POST", "/orders/1/open", ann, "Idempotency-Key: a"),
                try await server.ask("POST", "/orders/1/pay", bob, "Idempotency-Key: a"),
                try await server.ask("POST", "/orders/1/pay", bob, "Idempotency-Key: a"),
                try await server.ask("POST", "/orders/1/pay", bob, "Idempotency-Key: b"),
            ]
            #expect(replies.map(\.status) == [200, 200, 200, 429])
            #expect(replies.map { $0["idempotency-replayed"] } == [nil, nil, "true", nil])
        }
    }

    @Test("An entity has a feed of its own, under its own name")
    func feed() async throws {
        try await TestServer.run(Self.viewModels) { server in
            let first = try await server.ask("GET", "/desks/main/changes?topics=desks/main/board")
            #expect(first.text.contains(#""changes":[{"seq":0,"viewModel":"desks/main","output":"names","value":[]}]"#))
            let cursor = try first.string("cursor")
            let poll = try Connection(server.port)
            try poll.send("GET", "/desks/main/changes?since=\(cursor)")
            _ = try await server.ask("POST", "/counter/increment")
            _ = try await server.ask("POST", "/desks/main/add", "Content-Type: application/json", body: #""Ann""#)
            let reply = try await poll.reply()
            let change = #"{"seq":1,"viewModel":"desks/main","output":"names","value":["Ann"]}"#
            #expect(reply.text.contains(#""changes":[\#(change)]"#))
            #expect(try await server.ask("GET", "/desks/main/changes?topics=counter").status == 400)
            #expect(try await server.ask("GET", "/changes?topics=desks/main").status == 400)
        }
    }

    @Test("An ended entity ends its polls and streams, is 404, and may be made again")
    func ended() async throws {
        try await TestServer.run(Self.viewModels) { server in
            let cursor = try await server.ask("POST", "/orders/1/open")["etag"]?.filter { $0 != "\"" } ?? ""
            let (poll, stream) = (try Connection(server.port), try Connection(server.port))
            try stream.send("GET", "/orders/1/changes", ["Accept: text/event-stream"])
            _ = try await stream.reply()
            _ = try await stream.event()
            try poll.send("GET", "/orders/1/changes?since=\(cursor)")
            try await server.waits(2, on: EntityID(kind: "orders", text: "orders/1"))
            let last = try await server.ask("POST", "/orders/1/close")
            #expect(try last.string("state") == "closed")
            #expect(try await poll.reply().text.hasPrefix(#"{"kind":"ended","#))
            let event = try await stream.event()
            #expect(event.name == "ended" && event.data == #"{"kind":"ended"}"#)
            #expect(try await server.ask("GET", "/orders/1").status == 404)
            #expect(try await server.ask("POST", "/orders/1/open").string("state") == "open")
            let back = try await server.ask("GET", "/orders/1/changes?since=\(cursor)&wait=0")
            #expect(back.text.contains(#""reason":"unknown""#))
        }
    }

    @Test("An entity that no action made cannot end: the action fails")
    func listedDoesNotEnd() async throws {
        try await TestServer.run(Self.viewModels) { server in
            let close = try await server.ask("POST", "/desks/main/close")
            #expect(close.status == 500)
            #expect(try await server.ask("GET", "/desks/main").status == 200)
        }
    }

    @Test("A caller without a session that lives is 401")
    func caller() async throws {
        try await TestServer.run(Self.viewModels) { server in
            let ann = try await server.begin()
            _ = try await server.ask("DELETE", "/session", ann)
            #expect(try await server.ask("GET", "/desks/main", ann).status == 401)
        }
        try await TestServer.run(Self.viewModels, options: { $0.service.hasPublicSession = false }) { server in
            let reply = try await server.ask("GET", "/desks/main")
            #expect(reply.problem == "session-required")
        }
    }

    @Test("A change on one replica is told on another, and so is the end")
    func replicas() async throws {
        let store = MemoryStore(isShared: true) { .zero }
        try await TestServer.run(Self.viewModels, store: store) { one in
            try await TestServer.run(Self.viewModels, store: store) { two in
                let id = EntityID(kind: "orders", text: "orders/1")
                var cursor = try await one.ask("POST", "/orders/1/open")["etag"]?.filter { $0 != "\"" } ?? ""
                for (action, told) in [("pay", #""value":"paid""#), ("close", #"{"kind":"ended""#)] {
                    let poll = try Connection(two.port)
                    try poll.send("GET", "/orders/1/changes?since=\(cursor)")
                    try await two.waits(1, on: id)
                    cursor = try await one.ask("POST", "/orders/1/\(action)")["etag"]?.filter { $0 != "\"" } ?? ""
                    #expect(try await poll.reply().text.contains(told))
                }
                #expect(try await two.ask("GET", "/orders/1").status == 404)
                #expect(try await two.ask("POST", "/orders/1/open").status == 200)
                #expect(try await one.ask("GET", "/orders/1").string("state") == "open")
            }
        }
    }
}
