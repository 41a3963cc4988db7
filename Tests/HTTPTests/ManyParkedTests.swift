import HTTP
import TestSupport
import Testing

@Suite("Many parked", .timeLimit(.minutes(5)))
struct ManyParkedTests {
    static func park(_ count: Int, on live: LiveServer) async throws -> [RawClient] {
        let clients = try await onThread {
            try (0..<count).map { _ in
                let client = try live.connect()
                try client.send(HangUpTests.request)
                return client
            }
        }
        await eventually("all are parked") { live.server.gauges.parked == count }
        return clients
    }

    @Test("two thousand parked requests are woken together, and can be parked again")
    func wokenTogether() async throws {
        let gates = [Gate(), Gate()]
        let routes = [
            HangUpTests.parking(gates[0]),
            Route(.get, "/again") { _ in
                .awaiting {
                    try await gates[1].wait()
                    return .text("again")
                }
            },
        ]
        try await withServer(routes, crowd: true) { live in
            let clients = try await Self.park(2000, on: live)
            gates[0].open()
            let woken = try await onThread { try clients.count { try $0.readResponse().text == "woken" } }
            #expect(woken == 2000)
            await eventually("none is parked") { live.server.gauges.parked == 0 && live.server.gauges.parked == 0 }
            try await onThread {
                for client in clients { try client.send("GET /again HTTP/1.1\r\nHost: a\r\n\r\n") }
            }
            await eventually("all are parked again") { live.server.gauges.parked == 2000 }
            gates[1].open()
            let again = try await onThread { try clients.count { try $0.readResponse().text == "again" } }
            #expect(again == 2000)
        }
    }

    // As many as a machine that is busy with other tests, under a sanitizer, answers in the second that there is for it.
    @Test("stopping answers parked requests: those that finish by themselves, and those that do not")
    func drained() async throws {
        let gate = Gate()
        let untilStop = Route(.get, "/until-stop") { _ in
            .awaiting {
                // Ends with its task's cancellation, which only the stop brings.
                try? await gate.wait()
                return .text("too late")
            }
        }
        try await withServer([HangUpTests.parking(gate), untilStop]) { live in
            let clients = try await Self.park(60, on: live)
            await live.server.stop(within: .zero)
            let answers = try await onThread {
                try clients.map { client in
                    let response = try client.readResponse()
                    return (response.status, response["Connection"], response["Retry-After"], client.isClosed())
                }
            }
            #expect(answers.allSatisfy { $0.0 == 503 && $0.1 == "close" && $0.2 != nil && $0.3 })
            #expect(gate.cancelled == 60)
        }
    }

    @Test("what is answered while draining leaves before the stop")
    func drainsInTime() async throws {
        let gate = Gate()
        try await withServer([HangUpTests.parking(gate)], crowd: true) { live in
            let clients = try await Self.park(500, on: live)
            async let stopped: Void = live.server.stop(within: .seconds(20))
            await eventually("it drains") { live.server.gauges.isDraining }
            gate.open()
            let answers = try await onThread {
                try clients.map { client in
                    let response = try client.readResponse()
                    return (response.text, response["Connection"])
                }
            }
            await stopped
            #expect(answers.allSatisfy { $0.0 == "woken" && $0.1 == "close" })
        }
    }
}
