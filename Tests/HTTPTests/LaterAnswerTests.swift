import HTTP
import Locking
import TestSupport
import Testing

@Suite("An answer that comes later", .timeLimit(.minutes(5)))
struct LaterAnswerTests {
    private let desk = Desk()

    private func nothingIsLeft(of live: LiveServer) async {
        await eventually("nothing of it is left") {
            live.server.gauges.connections == 0 && live.server.gauges.exchanges == 0
        }
    }

    // MARK: How the client goes

    @Test("is told that its client closes its half, and then that it is gone, each once")
    func departures() async throws {
        try await withServer([desk.route]) { live in
            let client = try await live.ask()
            let place = try await desk.place()
            client.halfClose()
            await eventually("it is told of the half") { desk.departures == [.halfClosed] }
            client.reset()
            await eventually("it is told of the rest") { desk.departures == [.halfClosed, .gone] }
            place.answer(.text("too late"))
            await eventually("it is logged") { live.log.entries.map(\.ending) == [.clientGone] }
        }
        #expect(desk.departures == [.halfClosed, .gone])
    }

    @Test("is told that the server stops as that its client is gone")
    func stopped() async throws {
        try await withServer([desk.route]) { live in
            let client = try await live.ask()
            let place = try await desk.place()
            await live.server.stop(within: .zero)
            #expect(desk.departures == [.gone])
            #expect(try await onThread { try client.readResponse().status } == 503)
            withExtendedLifetime(place) {}
        }
    }

    @Test("is told nothing once it was given", arguments: [false, true])
    func toldNothing(afterFIN: Bool) async throws {
        try await withServer([desk.route]) { live in
            let client = try await live.ask()
            let place = try await desk.place()
            if afterFIN {
                client.halfClose()
                await eventually("it is told of the half") { desk.departures == [.halfClosed] }
            }
            place.answer(.text("here"))
            #expect(try await onThread { try client.readResponse().text } == "here")
            client.close()
            await eventually("nobody is there") { live.server.gauges.connections == 0 }
        }
        #expect(desk.departures == (afterFIN ? [.halfClosed] : []))
    }

    @Test(
        "leaves nothing behind where who is told holds the place to answer, whoever answered", arguments: [false, true])
    func heldPlace(answersAtOnce: Bool) async throws {
        let (places, isPlaced) = AsyncStream.makeStream(of: PendingAnswer.self)
        let route = Route(.get, "/") { _ in
            Response(
                body: .later { pending in
                    if answersAtOnce { pending.answer(.text("here")) } else { isPlaced.yield(pending) }
                    return { _ in pending.answer(.text("too late")) }
                })
        }
        try await withServer([route]) { live in
            let client = try await live.ask()
            if !answersAtOnce {
                var iterator = places.makeAsyncIterator()
                try #require(await iterator.next()).answer(.text("here"))
            }
            #expect(try await onThread { try client.readResponse().text } == "here")
            client.close()
            await nothingIsLeft(of: live)
        }
    }

    // MARK: What is answered

    @Test("of two answers the first is taken, and the other one is not even begun")
    func answeredTwice() async throws {
        let begun = Lock(0)
        let others = [
            Response.text("second"),
            .eventStream { events in
                begun.withLock { $0 += 1 }
                return Once(events)
            },
            Response(
                body: .later { _ in
                    begun.withLock { $0 += 1 }
                    return { _ in }
                }),
        ]
        for other in others {
            try await withServer([desk.route]) { live in
                let client = try await live.ask()
                let place = try await desk.place()
                place.answer(.text("first"))
                place.answer(other)
                #expect(try await onThread { try client.readResponse().text } == "first")
            }
        }
        #expect(begun.withLock { $0 } == 0)
    }

    @Test("a second answer does not disturb an event stream that was the first")
    func streamAnsweredTwice() async throws {
        try await withServer([desk.route]) { live in
            let client = try await live.ask()
            let place = try await desk.place()
            let source = Silent()
            let streams = Lock<[EventStream]>([])
            for _ in 0..<2 {
                place.answer(
                    .eventStream { events in
                        streams.withLock { $0.append(events) }
                        return source
                    })
            }
            place.answer(.text("second"))
            let stream = try #require(streams.withLock { $0 }.first)
            stream.finish(saying: SharedBody(Array("event: last\ndata: \n\n".utf8)))
            #expect(try await onThread { try client.readResponse().text } == "event: last\ndata: \n\n")
            #expect(streams.withLock { $0.count } == 1)
            await eventually("the source is told") { source.over == 1 }
        }
    }

    @Test("may be an event stream, with the fields that were added, also where its head alone was asked for")
    func stream() async throws {
        try await withServer([desk.route]) { live in
            for method in ["GET", "HEAD"] {
                let client = try await live.ask(method)
                let place = try await desk.place().adding([.init("X-Added", "one")])
                place.answer(.eventStream { Once($0) })
                let response = try await onThread { try client.readResponse(hasBody: method == "GET") }
                #expect(response["Content-Type"] == "text/event-stream; charset=utf-8")
                #expect(response["X-Added"] == "one")
                #expect(response.text == (method == "GET" ? "event: only\ndata: \n\n" : ""))
                #expect(try await onThread { client.isClosed() })
            }
        }
    }

    @Test("may be an event stream at once")
    func streamAtOnce() async throws {
        let source = Silent()
        let route = Route(.get, "/") { _ in .awaiting { .eventStream { _ in source } } }
        try await withServer([route]) { live in
            let client = try await live.ask()
            #expect(try await onThread { try client.readHead().status } == 200)
            client.reset()
            await eventually("the source is told") { source.over == 1 }
            await nothingIsLeft(of: live)
        }
    }

    @Test("an event stream for a client that has left is over as soon as it begins", arguments: [false, true])
    func streamForNobody(halfCloses: Bool) async throws {
        try await withServer([desk.route]) { live in
            let client = try await live.ask()
            let place = try await desk.place()
            if halfCloses { client.halfClose() } else { client.reset() }
            await eventually("it is told") { !desk.departures.isEmpty }
            let source = Silent()
            place.answer(.eventStream { _ in source })
            await eventually("the source is told") { source.over == 1 }
            #expect(desk.departures == [halfCloses ? .halfClosed : .gone])
        }
    }
}
