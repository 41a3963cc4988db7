import Events
import HTTP
import Testing

@testable import Service

/// Protects the counts that alerts use.
@Suite("Metrics")
struct MetricsTests {
    private static func lines(_ metrics: Metrics) -> [String] {
        var page = MetricsPage()
        metrics.write(to: &page)
        return page.text.split(separator: "\n").map(String.init)
    }

    @Test("requests are counted by route, method, status and problem")
    func requests() {
        let metrics = Metrics(before: nil)
        for (method, status, problem) in [
            ("GET", 200, nil), ("GET", 200, nil), ("HEAD", 200, nil), ("GET", 404, "not-found"),
        ] {
            var entry = ExchangeEntry(method: method, route: "-", status: status, microseconds: 700, requestID: "1")
            entry.problem = problem
            metrics.record(entry)
        }
        let lines = Self.lines(metrics)
        for line in [
            #"bindery_requests_total{route="-",method="-",status="200",problem=""} 3"#,
            #"bindery_requests_total{route="-",method="-",status="404",problem="not-found"} 1"#,
            #"bindery_request_duration_seconds_bucket{route="-",method="-",le="0.0005"} 0"#,
            #"bindery_request_duration_seconds_bucket{route="-",method="-",le="0.001"} 4"#,
            #"bindery_request_duration_seconds_count{route="-",method="-"} 4"#,
            #"bindery_request_duration_seconds_sum{route="-",method="-"} 0.0028"#,
        ] { #expect(lines.contains(line), "\(line)") }
    }

    @Test("events are counted by name, and the log gets each of them")
    func events() {
        let log = WrittenLog(.text)
        let writer = log.writer
        let metrics = Metrics(before: writer)
        #expect(Self.lines(metrics).contains(#"bindery_events_total{event="loop-held"} 0"#))
        for _ in 0..<3 { metrics.record(Event(.boundReached, ["limit": 3])) }
        metrics.flush()
        let lines = Self.lines(metrics)
        #expect(lines.contains(#"bindery_events_total{event="bound-reached"} 3"#))
        #expect(log.lines.count == 3)
    }
}
