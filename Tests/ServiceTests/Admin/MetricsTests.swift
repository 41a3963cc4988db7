import Events
import HTTP
import Testing

@testable import Service

@Suite("Metrics")
struct MetricsTests {
    private static func lines(_ metrics: Metrics) -> [String] {
        String(decoding: MetricsText.text(of: metrics.measures), as: UTF8.self).split(separator: "\n").map(String.init)
    }

    @Test("requests are counted by route, method, status and problem")
    func requests() {
        let metrics = Metrics(before: nil)
        for (method, status, problem) in [
            ("GET", 200, nil), ("GET", 200, nil), ("HEAD", 200, nil), ("GET", 404, "not-found"),
        ] {
            metrics.record(
                ExchangeEntry(
                    method: method, route: "-", status: status, problem: problem, microseconds: 700, requestID: "1"))
        }
        let lines = Self.lines(metrics)
        for line in [
            #"bindery_requests_total{route="-",method="GET",status="200",problem=""} 2"#,
            #"bindery_requests_total{route="-",method="HEAD",status="200",problem=""} 1"#,
            #"bindery_requests_total{route="-",method="GET",status="404",problem="not-found"} 1"#,
            #"bindery_request_duration_seconds_bucket{route="-",method="-",le="0.0005"} 0"#,
            #"bindery_request_duration_seconds_bucket{route="-",method="-",le="0.001"} 4"#,
            #"bindery_request_duration_seconds_count{route="-",method="-"} 4"#,
            #"bindery_request_duration_seconds_sum{route="-",method="-"} 0.0028"#,
        ] { #expect(lines.contains(line), "\(line)") }
    }

    @Test("events are counted by name, those of bounds also by bound, and the log gets each of them")
    func events() {
        let log = WrittenLog(.text)
        let writer = log.writer
        let metrics = Metrics(before: writer)
        #expect(Self.lines(metrics).contains(#"bindery_events_total{event="loop-held"} 0"#))
        for _ in 0..<3 { metrics.record(.boundReached("max-streams", limit: 3, by: nil)) }
        metrics.flush()
        let lines = Self.lines(metrics)
        #expect(lines.contains(#"bindery_events_total{event="bound-reached"} 3"#))
        #expect(lines.contains(#"bindery_bound_reached_total{bound="max-streams"} 3"#))
        #expect(log.lines.count == 3)
    }

    @Test(
        "a number and its labels are written as Prometheus reads them",
        arguments: [
            (Measure(.gauge, "a", "Help.", 3.0), "# HELP a Help.\n# TYPE a gauge\na 3\n"),
            (Measure(.counter, "b", "Help.", 0.25), "# HELP b Help.\n# TYPE b counter\nb 0.25\n"),
            (
                Measure(.gauge, "c", "Help.", [Measure.Sample([Measure.Label("x", "\"\\\n")], 1)]),
                "# HELP c Help.\n# TYPE c gauge\nc{x=\"\\\"\\\\\\n\"} 1\n"
            ),
            (Measure(.gauge, "d", "Help.", []), ""),
        ])
    func text(measure: Measure, text: String) {
        #expect(String(decoding: MetricsText.text(of: [measure]), as: UTF8.self) == text)
    }

    @Test("the numbers of the process are those of the kernel")
    func process() throws {
        let values = Dictionary(uniqueKeysWithValues: ProcessMeasures().measures.map { ($0.name, $0.samples[0].value) })
        #expect(values.count == 5)
        #expect(try #require(values["process_resident_memory_bytes"]) > 1e6)
        let open = try #require(values["process_open_fds"])
        #expect(open > 3)
        #expect(open < (try #require(values["process_max_fds"])))
        #expect(try #require(values["process_start_time_seconds"]) > 1.7e9)
    }
}
