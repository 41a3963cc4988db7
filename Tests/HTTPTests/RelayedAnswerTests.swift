import HTTP
import Locking
import TestSupport
import Testing

@Suite("An answer that is left for later again", .timeLimit(.minutes(5)))
struct RelayedAnswerTests {
    private let first = Desk()
    private let second = Desk()

    @Test("is given from its last place, with the fields that were added on the way")
    func givenFromTheLast() async throws {
        try await withServer([first.route]) { live in
            for method in ["GET", "HEAD"] {
                let client = try await live.ask(method)
                try await first.place().adding([.init("X-Added", "first")]).answer(second.later)
                try await second.place().adding([.init("X-Added", "second")]).answer(.text("here"))
                let response = try await onThread { try client.readResponse(hasBody: method == "GET") }
                #expect(response.text == (method == "GET" ? "here" : ""))
                #expect(response.headers.filter { $0.name == "X-Added" }.map(\.value) == ["first", "second"])
                #expect(response["Content-Length"] == "4")
            }
        }
    }

    @Test("may be an event stream in the end, with the fields that were added, and is told when its client leaves")
    func streamInTheEnd() async throws {
        let source = Silent()
        try await withServer([first.route]) { live in
            let client = try await live.ask()
            try await first.place().adding([.init("X-Added", "first")]).answer(second.later)
            try await second.place().answer(.eventStream { _ in source })
            let head = try await onThread { try client.readHead() }
            #expect(head["X-Added"] == "first")
            client.reset()
            await eventually("the source is told") { source.over == 1 }
            await eventually("nothing of it is left") { live.server.gauges.exchanges == 0 }
        }
        #expect(first.departures.isEmpty && second.departures.isEmpty)
    }

    @Test("may be a problem in the end, with the fields that were added and its cause in the log")
    func problemInTheEnd() async throws {
        struct Lost: Error {}
        try await withServer([first.route]) { live in
            let client = try await live.ask()
            try await first.place().adding([.init("X-Added", "first")]).answer(.awaiting { throw Lost() })
            let response = try await onThread { try client.readResponse() }
            #expect(response.status == 500)
            #expect(response["X-Added"] == "first")
            await eventually("it is logged") { live.log.entries.first?.cause?.hasSuffix("Lost") == true }
        }
    }

    @Test("leaves how the client goes to the last who is to answer")
    func toldToTheLast() async throws {
        try await withServer([first.route]) { live in
            let client = try await live.ask()
            try await first.place().answer(second.later)
            client.halfClose()
            await eventually("the last is told of the half") { second.departures == [.halfClosed] }
            client.reset()
            await eventually("the last is told of the rest") { second.departures == [.halfClosed, .gone] }
        }
        #expect(first.departures.isEmpty)
    }

    @Test("is told at once how its client went before")
    func toldAtOnce() async throws {
        try await withServer([first.route]) { live in
            let client = try await live.ask()
            let place = try await first.place()
            client.halfClose()
            await eventually("the first is told of the half") { first.departures == [.halfClosed] }
            place.answer(second.later)
            #expect(second.departures == [.halfClosed])
            client.reset()
            await eventually("the second is told of the rest") { second.departures == [.halfClosed, .gone] }
            let third = Desk()
            try await second.place().answer(third.later)
            #expect(third.departures == [.halfClosed, .gone])
        }
        #expect(first.departures == [.halfClosed])
        #expect(second.departures == [.halfClosed, .gone])
    }

    @Test("is the last one's, too, where it is left for later again before whoever leaves it is done")
    func leftInTheMiddle() async throws {
        let late = Lock<[Departure]>([])
        let route = Route(.get, "/") { [second] _ in
            Response(
                body: .later { pending in
                    pending.answer(
                        Response(
                            body: .later { pending in
                                pending.answer(second.later)
                                return { departure in late.withLock { $0.append(departure) } }
                            }))
                    return { departure in late.withLock { $0.append(departure) } }
                })
        }
        try await withServer([route]) { live in
            let client = try await live.ask()
            let place = try await second.place()
            client.halfClose()
            await eventually("the last is told") { second.departures == [.halfClosed] }
            place.answer(.text("here"))
            #expect(try await onThread { try client.readResponse().text } == "here")
        }
        #expect(late.withLock { $0 }.isEmpty)
    }

    @Test(
        "is a task that is cancelled when its client is gone, and not when it closes its half",
        arguments: [false, true])
    func cancelled(leaves: Bool) async throws {
        let gate = Gate()
        try await withServer([first.route]) { live in
            let client = try await live.ask()
            let place = try await first.place()
            client.halfClose()
            await eventually("the first is told of the half") { first.departures == [.halfClosed] }
            place.answer(
                .awaiting {
                    try await gate.wait()
                    return .text("here")
                })
            #expect(gate.arrived == 1)
            if leaves {
                client.reset()
                await eventually("it is cancelled") { gate.cancelled == 1 }
            } else {
                gate.open()
                #expect(try await onThread { try client.readResponse().text } == "here")
                #expect(gate.cancelled == 0)
            }
        }
    }
}
