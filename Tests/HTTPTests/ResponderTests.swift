import Dispatch
import Events
import Glibc
import HTTP
import Locking
import TestSupport
import Testing

/// Protects that each request gets one answer, from any thread, and that a hang-up is told.
@Suite("Responders", .timeLimit(.minutes(5)))
struct ResponderTests {
    private let desk = Desk()

    // MARK: Answers

    /// The race between the return of the handler and the suspension of the connection: many tries without a pause.
    @Test("an answer that comes while the request is being parked is not lost")
    func answerWhileParking() async throws {
        let routes = [
            Route(.get, "/task") { _, responder in
                Task { responder.send(.text("later")) }
            },
            Route(.get, "/thread") { _, responder in DispatchQueue.global().async { responder.send(.text("later")) } },
        ]
        try await withServer(routes) { live in
            try await live.talk { client in
                for number in 0..<2000 {
                    let response = try client.get(number.isMultiple(of: 2) ? "/task" : "/thread")
                    #expect(response.text == "later")
                }
            }
            #expect(live.server.gauges.begun == 2000)
        }
    }

    @Test("a second answer changes nothing, whatever it is")
    func answeredTwice() async throws {
        let route = Route(.get, "/") { _, responder in
            responder.send(.text("first"))
            responder.send(.text("second"))
            responder.send(Problem.internalError)
            #expect(responder.stream() == nil)
            throw Problem.internalError
        }
        try await withServer([route]) { live in
            let response = try await live.get("/")
            #expect(response.text == "first")
            #expect(live.log.entries.map(\.status) == [200])
        }
    }

    @Test("added fields come with any answer", arguments: ["/answer", "/problem", "/stream", "/later"])
    func addedFields(path: String) async throws {
        let kinds: [(String, Handler)] = [
            ("/answer", { $1.send(.text("")) }), ("/problem", { _, _ in throw Problem.internalError }),
            ("/stream", { $1.stream()?.finish() }), ("/later", { _, responder in Task { responder.send(.text("")) } }),
        ]
        let routes = kinds.map { path, answer in
            Route(.get, path) { request, responder in
                responder.add([.init("X-Added", "one")])
                responder.add([.init("X-Added", "two")])
                try answer(request, responder)
            }
        }
        try await withServer(routes) { live in
            let response = try await live.get(path)
            #expect(response.headers.filter { $0.name == "X-Added" }.map(\.value) == ["one", "two"])
        }
    }

    @Test("a problem is sent as it is, any other error as a 500 whose cause is in the log alone")
    func errors() async throws {
        struct Secret: Error {}
        let problem = Problem(
            "action-disabled", status: 409, title: "Action disabled", detail: "Try later.",
            members: [("state", Array(#"{"text":"0"}"#.utf8))], headers: [.init("Retry-After", "1")])
        let errors: [any Error] = [problem, Secret()]
        let routes = zip(["problem", "secret"], errors).flatMap { name, error in
            [
                Route(.get, "/thrown/\(name)") { _, _ in throw error },
                Route(.get, "/sent/\(name)") { $1.send(error) },
                Route(.get, "/later/\(name)") { _, responder in Task { responder.send(error) } },
            ]
        }
        try await withServer(routes) { live in
            for kind in ["thrown", "sent", "later"] {
                let known = try await live.get("/\(kind)/problem")
                #expect(known.status == 409)
                #expect(known["Retry-After"] == "1")
                #expect(
                    known.text == #"{"type":"/problems/action-disabled","title":"Action disabled","status":409,"#
                        + #""detail":"Try later.","instance":"\#(known["Request-Id"] ?? "")","state":{"text":"0"}}"#)
                let unknown = try await live.get("/\(kind)/secret")
                #expect(unknown.status == 500)
                #expect(!unknown.text.contains("Secret"))
            }
            await eventually("all are logged") { live.log.entries.count == 6 }
            let causes = live.log.entries.sorted { $0.status < $1.status }.map(\.cause)
            #expect(causes.prefix(3) == [nil, nil, nil])
            #expect(causes.suffix(3).allSatisfy { $0?.contains("Secret (") == true })
        }
    }

    @Test("the problem of a request that no handler sees can be explained")
    func refusal() async throws {
        let server = Server(routes: [.text("/", "")], limits: .forTests) { request, problem in
            var problem = problem
            problem.headers.append(.init("X-Path", request.path))
            return problem
        }
        let live = LiveServer(server: server, port: try server.start(), log: RecordingLog())
        #expect(try await live.get("/")["X-Path"] == nil)
        #expect(try await live.get("/no")["X-Path"] == "/no")
        #expect(try await live.get("/%zz")["X-Path"] == "/%zz")
        await server.stop(within: .zero)
    }

    // MARK: Hang-ups

    @Test(
        "a client that leaves while it waits is told once, and its connection ends with the answer",
        arguments: [true, false])
    func leaves(byReset: Bool) async throws {
        try await withServer([desk.route]) { live in
            let client = try await live.begin(Desk.request)
            let responder = try await desk.next()
            if byReset { client.reset() } else { client.close() }
            await eventually("it is told") { desk.hangUps.all == [.clientGone] }
            responder.send(.text("too late"))
            await eventually("no connection is left") { live.server.gauges.connections == 0 }
            #expect(try !SocketTable.serverHoldsConnection(serverPort: live.port, clientPort: client.port))
            #expect(live.log.entries.map(\.ending) == [.clientGone])
            #expect(desk.hangUps.all == [.clientGone])
        }
    }

    @Test("a client that closes its half while it waits is answered, and its connection closes")
    func halfCloses() async throws {
        try await withServer([desk.route]) { live in
            let client = try await live.begin(Desk.request)
            let responder = try await desk.next()
            client.halfClose()
            await eventually("it is told") { desk.hangUps.all == [.clientGone] }
            responder.send(.text("idle"))
            let response = try await onThread { try client.readResponse() }
            #expect(response.text == "idle")
            #expect(response["Connection"] == "close")
            #expect(try await onThread { client.isClosed() })
        }
    }

    @Test("a request may be read long after its client left and its server stopped")
    func requestOutlivesClient() async throws {
        let requests = History<(Request, Responder)>()
        let route = Route(.post, "/{name}") { requests.append(($0, $1)) }
        try await withServer([route]) { live in
            let client = try await live.begin(
                "POST /poll?a=b HTTP/1.1\r\nHost: a\r\nIf-Match: \"1\"\r\nContent-Length: 4\r\n\r\nbody")
            await eventually("it is read") { requests.all.count == 1 }
            client.reset()
            requests.all[0].1.send(.text("never"))
            await eventually("it is gone") { live.server.gauges.connections == 0 }
        }
        let request = try #require(requests.all.first).0
        #expect(request.parameter("name") == "poll")
        #expect((request.query ?? []).map(\.value) == ["b"])
        #expect(request.header(.ifMatch) == "\"1\"")
        #expect(request.body == Array("body".utf8))
    }

    @Test("five thousand waiting clients that leave at once are all noticed", arguments: [true, false])
    func manyLeave(byReset: Bool) async throws {
        let gone = Lock(0)
        let route = Route(.get, "/") { _, responder in
            responder.onHangUp { _ in
                gone.withLock { $0 += 1 }
                responder.send(.text("too late"))
            }
        }
        try await withServer([route], crowd: true) { live in
            let clients = try await live.begin("GET / HTTP/1.1\r\nHost: a\r\n\r\n", by: 5000)
            await eventually("all wait") { live.server.gauges.parked == 5000 }
            for client in clients { if byReset { client.reset() } else { client.close() } }
            await live.nothingIsLeft()
            #expect(gone.withLock(\.self) == 5000)
        }
    }

    @Test("two thousand waiting requests are woken together, twice")
    func wokenTogether() async throws {
        try await withServer([desk.route], crowd: true) { live in
            let clients = try await live.begin("", by: 2000)
            for text in ["once", "again"] {
                try await onThread { for client in clients { try client.send(Desk.request) } }
                await eventually("all wait") { live.server.gauges.parked == 2000 }
                desk.answerAll(text)
                let woken = try await onThread { try clients.count { try $0.readResponse().text == text } }
                #expect(woken == 2000)
            }
            #expect(desk.hangUps.all.isEmpty)
        }
    }
}
