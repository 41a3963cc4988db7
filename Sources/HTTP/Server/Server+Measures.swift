internal import CHTTPShim
package import Events

extension Server: Measured {
    /// How the connections and the event loops stand.
    package var measures: [Measure] {
        let (gauges, limits, loops) = (gauges, limits, loops)
        func samples(_ number: (ServerLoop) -> Double) -> [Measure.Sample] {
            // Numbered as in the events that tell of them.
            zip(1..., loops).map { Measure.Sample([Measure.Label("loop", "\($0)")], number($1)) }
        }
        return [
            Measure(.gauge, "bindery_connections", "Connections that are open.", gauges.connections),
            Measure(.gauge, "bindery_connections_limit", "Connections that may be open.", limits.connections),
            Measure(
                .gauge, "bindery_connections_lingering",
                "Connections that are over, and read off until their client knows.",
                gauges.lingering),
            Measure(
                .gauge, "bindery_requests_running", "Requests that arrive, wait or are answered.", gauges.running),
            Measure(.gauge, "bindery_requests_parked", "Of these, those that wait or stream.", gauges.parked),
            Measure(
                .counter, "bindery_loop_busy_seconds_total", "Time that an event loop has had on processors.",
                samples { $0.busy / .seconds(1) }),
            Measure(
                .gauge, "bindery_loop_connections", "Connections of an event loop.", samples { Double($0.connections) }),
            Measure(
                .gauge, "bindery_loop_held", "1 where a handler holds an event loop for longer than it may.",
                samples { $0.isHeld ? 1 : 0 }),
        ]
    }

    /// What each event loop is at.
    package var loops: [ServerLoop] {
        guard let shim = core.shim else { return [] }
        return (0..<UInt32(limits.threads)).map { ServerLoop(http_server_loop_gauges(shim.raw, $0), of: core.routes) }
    }
}

/// What an event loop is at.
package struct ServerLoop: Sendable {
    /// Its connections.
    package let connections: Int
    /// The time that its thread has had on processors.
    package let busy: Duration
    /// Whether a handler holds it for longer than ``ServerLimits/heldAfter``.
    package let isHeld: Bool
    /// The method and the template of the route whose handler holds it, as `POST /counter/increment`; nil where none does.
    package let heldBy: String?

    init(_ shim: http_loop_gauges, of routes: [Route]) {
        connections = shim.connections
        busy = .microseconds(Int64(clamping: shim.busy_microseconds))
        isHeld = shim.held
        let route = routes.indices.contains(Int(shim.route)) ? routes[Int(shim.route)] : nil
        heldBy = route.map { "\($0.method.rawValue) \($0.template)" }
    }
}
