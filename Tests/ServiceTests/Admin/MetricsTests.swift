import Events
import HTTP
import SQLiteStore
import Samples
import Sessions
import TestSupport
import Testing
import ViewModels

@testable import Service

@Suite("Metrics")
struct MetricsTests {
    /// What is shown of a service, a line each, without what explains it.
    private func lines(_ service: LiveService) async throws -> [Substring] {
        let answer = try await service.operate().get("/metrics", "Host: localhost")
        #expect(answer["Content-Type"] == "text/plain; version=0.0.4; charset=utf-8")
        return answer.text.split(separator: "\n").filter { !$0.hasPrefix("#") }
    }

    private func withMetrics(
        of catalogue: Catalogue = .counterAndLogin, over store: any SessionStore = MemoryStore(),
        _ test: (LiveService) async throws -> Void
    ) async throws {
        try await withService(
            of: catalogue, over: store,
            { $0.admin = BinderyServer.Options.Address(host: "127.0.0.1", port: 0) }, test)
    }

    @Test("count requests by route, method, status and problem, and none that the operator makes")
    func requests() async throws {
        try await withMetrics { service in
            for _ in 0..<3 { _ = try await service.get("/counter") }
            _ = try await service.post("/counter/decrement")
            _ = try await service.get("/nothing/here")
            let expected = [
                #"bindery_requests_total{route="/counter",method="GET",status="200",problem=""} 3"#,
                #"bindery_requests_total{route="/counter/decrement",method="POST",status="409",problem="action-disabled"} 1"#,
                #"bindery_requests_total{route="-",method="GET",status="404",problem="not-found"} 1"#,
            ]
            #expect(
                await eventually {
                    let lines = (try? await lines(service)) ?? []
                    return lines.filter { $0.hasPrefix("bindery_requests_total") }.map(String.init).sorted()
                        == expected.sorted()
                })
            let counts = try await lines(service).filter { $0.hasPrefix("bindery_request_duration_seconds_count") }
            #expect(
                counts.contains(#"bindery_request_duration_seconds_count{route="/counter",method="GET"} 3"#))
        }
    }

    @Test("count answers to clients that have hung up, from the beginning, as models that cannot be read")
    func unsent() async throws {
        try await withMetrics { service in
            let first = try await lines(service)
            #expect(first.contains(#"bindery_answers_unsent_total{ending="stopped"} 0"#))
            #expect(first.contains(#"bindery_models_unreadable_total{view_model="login"} 0"#))
            let poll = try await service.poll("wait=25&since=\(try await service.cursor())")
            await service.waits(1)
            poll.raw.reset()
            #expect(
                await eventually {
                    (try? await lines(service))?.contains(#"bindery_answers_unsent_total{ending="client-gone"} 1"#)
                        == true
                })
        }
    }

    @Test("count actions by what became of them")
    func actions() async throws {
        let catalogue = Catalogue([
            .hosting(CounterViewModel.init(model:)), .errand { throw CancellationError() },
        ])
        try await withMetrics(of: catalogue) { service in
            _ = try await service.post("/counter/increment")
            _ = try await service.post("/counter/increment", "If-Match: \"x\"")
            for _ in 0..<2 { _ = try await service.post("/counter/decrement", "Idempotency-Key: k") }
            let counts = try await lines(service).filter { $0.hasPrefix("bindery_actions_total") }
            #expect(
                counts == [
                    #"bindery_actions_total{view_model="counter",action="increment",outcome="done"} 1"#,
                    #"bindery_actions_total{view_model="counter",action="increment",outcome="precondition"} 1"#,
                    #"bindery_actions_total{view_model="counter",action="decrement",outcome="done"} 1"#,
                    #"bindery_actions_total{view_model="counter",action="decrement",outcome="replayed"} 1"#,
                ])
        }
    }

    @Test("show the action that runs longest, and what waits behind it")
    func hung() async throws {
        let barrier = Barrier()
        defer { barrier.open() }
        try await withMetrics(of: Catalogue([.errand { barrier.pass() }])) { service in
            let clients = [try await service.connect(), try await service.connect()]
            for client in clients { try await client.send("POST", "/errand/run") }
            try await barrier.arrivals()
            service.timeline.advance(by: .seconds(3))
            #expect(
                await eventually {
                    let lines = (try? await lines(service)) ?? []
                    return [
                        "bindery_oldest_action_seconds 3", "bindery_actions_running 1", "bindery_actions_waiting 1",
                    ]
                    .allSatisfy { lines.contains(Substring($0)) }
                })
            barrier.open()
            for client in clients { _ = try await client.answer() }
            #expect(try await lines(service).contains("bindery_oldest_action_seconds 0"))
        }
    }

    @Test("show what waits, what is open, and whom a bound refused")
    func waits() async throws {
        try await withMetrics { service in
            let poll = try await service.poll("wait=25&since=\(try await service.cursor())")
            await service.waits(1)
            var lines = try await lines(service)
            for line in [
                "bindery_waits 1", "bindery_requests_parked 1", "bindery_sessions_in_memory 1", "bindery_sessions 1",
            ] {
                #expect(lines.contains(Substring(line)))
            }
            _ = try await service.post("/counter/increment")
            _ = try await poll.answer()
            let token = try await service.begin()
            _ = try await service.delete("/session", "Authorization: Bearer \(token)")
            lines = try await self.lines(service)
            for line in ["bindery_waits 0", #"bindery_sessions_ended_total{reason="asked"} 1"#] {
                #expect(lines.contains(Substring(line)))
            }
        }
    }

    @Test("show the store: its groups, its files, and why it failed")
    func store() async throws {
        try await withTemporaryDirectory { directory in
            let store = try SQLiteStore(path: "\(directory)/store.db")
            #expect(store.measures.first { $0.name == "bindery_store_up" }?.samples.map(\.value) == [1])
            let commit = Commit(
                id: SessionToken.random().sessionID, base: nil, head: Steps().head(0), language: .japanese, end: nil,
                viewModels: [])
            try await store.commit(commit)
            let text = String(decoding: MetricsText(store.measures).bytes, as: UTF8.self)
            #expect(text.contains("\nbindery_store_commits_total 1\n"))
            #expect(text.contains("\nbindery_store_group_duration_seconds_count 1\n"))
            #expect(!text.contains("\nbindery_store_wal_bytes 0\n"))
            await store.close()
            #expect(store.measures.first { $0.name == "bindery_store_up" }?.samples.map(\.value) == [0])
        }
    }

    @Test("count what a store tells the log of, in one family with what the server tells")
    func events() async throws {
        try await withTemporaryDirectory { directory in
            let store = try SQLiteStore(path: "\(directory)/store.db")
            var options = BinderyServer.Options()
            options.admin = BinderyServer.Options.Address(host: "127.0.0.1", port: 0)
            let server = BinderyServer(catalogue: .counterAndLogin, store: store, options: options)
            let families = await server.measures().filter { $0.name == "bindery_events_total" }
            #expect(families.count == 1)
            let counts = families.flatMap(\.samples).map { "\($0.labels.map(\.value).joined()) \($0.value)" }
            for count in ["store-opened 1.0", "store-lost 0.0", "model-unreadable 0.0"] {
                #expect(counts.contains(count))
            }
            await store.close()
        }
    }

    @Test("are written as Prometheus reads them")
    func text() {
        var histogram = Histogram()
        for microseconds in [100, 700, 60_000_000] { histogram.add(microseconds: microseconds) }
        let measures = [
            Measure(.gauge, "a", "Some.", [Measure.Sample([Measure.Label("x", "q\"b\\n\n")], 1.5)]),
            Measure(.counter, "none_total", "Nothing yet.", []),
            Measure(.histogram, "h_seconds", "Times.", histogram.samples()),
        ]
        let lines = String(decoding: MetricsText(measures).bytes, as: UTF8.self).split(separator: "\n")
        #expect(lines[0...2] == ["# HELP a Some.", "# TYPE a gauge", #"a{x="q\"b\\n\n"} 1.5"#])
        #expect(lines[4] == "# TYPE h_seconds histogram")
        #expect(
            lines[5...7] == [
                #"h_seconds_bucket{le="0.0005"} 1"#, #"h_seconds_bucket{le="0.001"} 2"#,
                #"h_seconds_bucket{le="0.0025"} 2"#,
            ])
        #expect(lines.suffix(3) == [#"h_seconds_bucket{le="+Inf"} 3"#, "h_seconds_sum 60.0008", "h_seconds_count 3"])
    }
}
