import Dispatch
import Foundation
import Locking
import TestSupport
import Testing

@testable import HTTP

@Suite("Answers", .timeLimit(.minutes(5)))
struct AnswerTests {
    @Test("an answer may come later, from another thread")
    func laterAnswer() async throws {
        let route = Route(.get, "/") { _ in
            .awaiting {
                await withCheckedContinuation { continuation in
                    DispatchQueue.global().async { continuation.resume() }
                }
                return .text("later")
            }
        }
        try await withServer([route]) { live in
            for _ in 0..<50 {
                let response = try await live.get("/")
                #expect(response.text == "later")
            }
        }
    }

    @Test("answers that share their bytes carry the fields that these came with, and their own")
    func sharedAnswer() async throws {
        let body = SharedBody(Array("shared".utf8), headers: [.init(.contentType, "text/plain"), .init("X-Of", "all")])
        let routes = [
            Route(.get, "/plain") { _ in Response(status: 201, body: .shared(body)) },
            Route(.get, "/own") { _ in Response(headers: [.init("X-Own", "one")], body: .shared(body)) },
        ]
        try await withServer(routes) { live in
            for _ in 0..<2 {
                let (plain, own) = (try await live.get("/plain"), try await live.get("/own"))
                #expect(plain.status == 201)
                #expect([plain, own].allSatisfy { $0.text == "shared" && $0["X-Of"] == "all" })
                #expect([plain, own].allSatisfy { $0["Content-Type"] == "text/plain" && $0["Request-Id"] != nil })
                #expect(plain["X-Own"] == nil)
                #expect(own["X-Own"] == "one")
            }
        }
    }

    @Test(
        "a shared answer that cannot be sent is a 500",
        arguments: [Response.Header("X-A", "a\r\nb"), .init("Content-Length", "0"), .init("X-A", "a\0Set-Cookie\0b")])
    func unsendableSharedAnswer(field: Response.Header) async throws {
        let body = SharedBody([], headers: [field])
        try await withServer([Route(.get, "/") { _ in Response(body: .shared(body)) }]) { live in
            let response = try await live.get("/")
            #expect(response.status == 500)
            #expect(response["Content-Type"] == "application/problem+json")
        }
    }

    @Test("a handler runs on the connection's event loop, and so does what may wait and does not")
    func runsOnLoop() async throws {
        let threads = Lock<[pthread_t]>([])
        let routes = [
            Route(.get, "/handler") { _ in
                threads.withLock { $0.append(pthread_self()) }
                return .text("")
            },
            Route(.get, "/awaiting") { _ in
                .awaiting {
                    threads.withLock { $0.append(pthread_self()) }
                    return .text("")
                }
            },
        ]
        try await withServer(routes) { live in
            try await onThread {
                let client = try live.connect()
                for path in ["/handler", "/awaiting"] { #expect(try client.get(path).status == 200) }
            }
            #expect(Set(threads.withLock { $0 }).count == 1)
        }
    }

    /// The race between the handler's return to the shim and the suspension: many tries, no pause on either side.
    @Test("an answer that comes while the request is being parked is not lost")
    func answerWhileParking() async throws {
        let route = Route(.get, "/") { _ in
            .awaiting {
                await Task.yield()
                return .text("yielded")
            }
        }
        try await withServer([route]) { live in
            try await onThread {
                let client = try live.connect()
                for _ in 0..<2000 { #expect(try client.get("/").text == "yielded") }
            }
        }
    }

    @Test("an exchange is answered once; a second answer is reported and changes nothing")
    func answeredTwice() async throws {
        let areTaken = Lock<[Bool]>([])
        let route = Route(.get, "/") { request in
            let first = request.exchange.answer(.text("first"))
            let second = request.exchange.answer(.text("second"))
            areTaken.withLock { $0 += [first, second] }
            return .text("third")
        }
        try await withServer([route]) { live in
            let response = try await live.get("/")
            #expect(response.text == "first")
            #expect(areTaken.withLock { $0 } == [true, false])
        }
    }

    @Test("of many answers at once exactly one is taken")
    func answeredByMany() async throws {
        let taken = Lock(0)
        let route = Route(.get, "/") { request in
            .awaiting {
                await withTaskGroup { group in
                    for number in 0..<8 {
                        group.addTask { request.exchange.answer(.text("\(number)")) }
                    }
                    for await isTaken in group where isTaken { taken.withLock { $0 += 1 } }
                }
                return .text("none")
            }
        }
        try await withServer([route]) { live in
            try await onThread {
                let client = try live.connect()
                for _ in 0..<200 { #expect(try client.get("/").text.count == 1) }
            }
            await eventually("one of each eight was taken") {
                live.server.gauges.exchanges == 0 && taken.withLock { $0 } == 200
            }
        }
    }

    @Test("a thrown problem is sent as it is, any other error without its text")
    func thrownErrors() async throws {
        struct Secret: Error {}
        let problem = Problem(
            "action-disabled", status: 409, title: "Action disabled", detail: "Try later.",
            members: [("state", Array(#"{"text":"0"}"#.utf8))], headers: [.init(.retryAfter, "1")])
        let routes = [
            Route(.get, "/problem") { _ in throw problem },
            Route(.get, "/later") { _ in
                .awaiting {
                    await Task.yield()
                    throw problem
                }
            },
            Route(.get, "/awaiting") { _ in .awaiting { throw problem } },
            Route(.get, "/secret") { _ in throw Secret() },
            Route(.get, "/later/secret") { _ in
                .awaiting {
                    await Task.yield()
                    throw Secret()
                }
            },
        ]
        try await withServer(routes) { live in
            for path in ["/problem", "/later", "/awaiting"] {
                let response = try await live.get(path)
                let id = try #require(response["Request-Id"])
                #expect(response.status == 409)
                #expect(response["Retry-After"] == "1")
                #expect(
                    response.text == #"{"type":"/problems/action-disabled","title":"Action disabled","status":409,"#
                        + #""detail":"Try later.","instance":"\#(id)","state":{"text":"0"}}"#)
            }
            for path in ["/secret", "/later/secret"] {
                let secret = try await live.get(path)
                #expect(secret.status == 500)
                #expect(!secret.text.contains("Secret"))
                #expect(secret["Content-Type"] == "application/problem+json")
            }
            await eventually("all are logged") { live.log.entries.count == 5 }
            let causes = live.log.entries.map(\.cause)
            #expect(causes.prefix(3) == [nil, nil, nil])
            #expect(causes.suffix(2).allSatisfy { $0?.hasSuffix("Secret") == true })
        }
    }

    @Test("a handler answers at once, or later, as it likes")
    func atOnceOrLater() async throws {
        let route = Route(.get, "/{who}") { request in
            guard request.parameter("who") != "a" else { return .text("at once") }
            return .awaiting {
                await Task.yield()
                return .text("later")
            }
        }
        try await withServer([route]) { live in
            let first = try await live.get("/a")
            #expect(first.text == "at once")
            let second = try await live.get("/b")
            #expect(second.text == "later")
        }
    }

    @Test("a malformed answer becomes a 500", arguments: 0..<5)
    func malformedAnswer(kind: Int) async throws {
        let answers: [Response] = [
            Response(status: 700), Response(status: 99),
            Response(headers: [.init("X", "a\r\nSet-Cookie: b")]), Response(headers: [.init("X y", "z")]),
            Response(headers: [.init("X", "a\0b")]),
        ]
        let answer = answers[kind]
        try await withServer([Route(.get, "/") { _ in answer }]) { live in
            let response = try await live.get("/")
            #expect(response.status == 500)
            #expect(response["Set-Cookie"] == nil)
            #expect(response["Request-Id"] != nil)
        }
    }

    @Test("a 204 has neither body nor length")
    func noContent() async throws {
        try await withServer([Route(.get, "/") { _ in Response(status: 204) }, .text("/next", "next")]) { live in
            try await onThread {
                let client = try live.connect()
                let response = try client.get("/")
                #expect(response.status == 204)
                #expect(response["Content-Length"] == nil)
                #expect(try client.get("/next").text == "next")
            }
        }
    }

    @Test("a 304 has neither body nor length: some clients would wait for what it announces")
    func notModified() async throws {
        let route = Route(.get, "/") { _ in
            Response(status: 304, headers: [.init(.eTag, #""1.2""#)], body: .bytes(Array("unchanged".utf8)))
        }
        try await withServer([route, .text("/next", "next")]) { live in
            try await onThread {
                let client = try live.connect()
                let response = try client.get("/")
                #expect(response.status == 304)
                #expect(response["ETag"] == #""1.2""#)
                #expect(response["Content-Length"] == nil)
                #expect(try client.get("/next").text == "next")
            }
        }
    }

    @Test("an answer may close its connection")
    func closes() async throws {
        let route = Route(.get, "/") { _ in
            var response = Response.text("bye")
            response.closesConnection = true
            return response
        }
        try await withServer([route]) { live in
            try await onThread {
                let client = try live.connect()
                #expect(try client.get("/")["Connection"] == "close")
                #expect(client.isClosed())
            }
        }
    }

    @Test("an answer's head of any length is sent whole, however long the request's was")
    func headOfAnyLength() async throws {
        let route = Route(.get, "/{length}") { request in
            let length = Int(request.parameter("length") ?? "") ?? 0
            return Response(headers: [.init("X-Long", String(repeating: "x", count: length))], body: .bytes([1, 2, 3]))
        }
        try await withServer([route]) { live in
            try await onThread {
                for length in [1, 255, 256, 257, 512, 1023, 1024, 4096, 32768, 1 << 20] {
                    let client = try live.connect()
                    try client.send(
                        "GET /\(length) HTTP/1.1\r\nHost: a\r\nCookie: \(String(repeating: "c", count: 8000))\r\n\r\n")
                    let response = try client.readResponse()
                    #expect(response.status == 200)
                    #expect(response["X-Long"]?.utf8.count == length)
                    #expect(response.body == [1, 2, 3])
                }
            }
        }
    }

    @Test(
        "a field that frames an answer, ends its connection or names it is the server's own: a handler's is a mistake, 500",
        arguments: ["Connection", "content-length", "Date", "REQUEST-ID", "Transfer-Encoding"])
    func fieldsOfTheServer(name: String) async throws {
        let route = Route(.get, "/") { _ in Response(headers: [.init(HeaderName(name), "1")]) }
        try await withServer([route]) { live in
            let answer = try await live.get("/")
            #expect(answer.status == 500)
            #expect(answer[name] != "1")
        }
    }
}
