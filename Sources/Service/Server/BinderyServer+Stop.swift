import Dispatch
import Events
import Glibc
import HTTP
import Synchronization

import class Entities.TimerThread

extension BinderyServer {
    /// Stops, within ``drainTime``.
    ///
    /// `/readyz` turns 503, and the server serves everything for the drain delay. Then it answers waiting polls and streams,
    /// and lets the actions end whose head has arrived, and the effects that run. Requests that still run at the end get 503. The store stays open.
    public func stop() async { await stop(because: "stop") }

    private func stop(because reason: String) async {
        let (start, gauges, limit) = (ContinuousClock.now, server.gauges, Self.drainTime)
        tell(
            .drainBegun,
            [
                "reason": .text(reason), "seconds": .number(Int(limit.components.seconds)),
                "connections": .number(gauges.connections), "running": .number(gauges.running),
            ])
        service.leave()
        let delay = min(options.drainDelay, limit)
        // Each answer closes its connection from now on: an idle connection would be closed under its next request.
        server.beginDraining()
        try? await Task.sleep(for: delay)
        service.drain(sparing: server.gauges.begun)
        let effects = service.environment.effects
        effects.hold()
        await server.stop(within: limit - delay)
        // Another process would take an attempt that is cut off for lost, but only later.
        while effects.runningCount > 0, ContinuousClock.now - start < limit {
            try? await Task.sleep(for: .milliseconds(10))
        }
        // The last one to go: it says that the server is about to stop.
        await admin?.stop(within: .zero)
        registry.stop()
        (service.environment.timer as? TimerThread)?.stop()
        let time = Int((ContinuousClock.now - start) / .milliseconds(1))
        tell(.serverStopped, ["reason": .text(reason), "milliseconds": .number(time)])
        log?.flush()
    }

    /// Listens, serves until SIGTERM or SIGINT, stops, and closes the store.
    ///
    /// A second signal ends the process at once. If the server cannot start, the store stays open.
    ///
    /// - Parameters:
    ///   - started: told the URL at which the server listens, without a slash at the end.
    ///   - stopping: called when the stop begins.
    /// - Throws: ``StartError``.
    public func run(
        started: @Sendable (String) -> Void = { _ in }, stopping: @Sendable () -> Void = {}
    ) async throws {
        let signals = StopSignals()
        defer { withExtendedLifetime(signals) {} }
        let url = Self.url(of: options.host, try start())
        tell(
            .serverStarted,
            [
                "program": .text(options.program), "programVersion": .text(options.programVersion),
                "version": .text(Version.current), "revision": Version.revision.map { .text($0) }, "url": .text(url),
                "admin": adminURL.map { .text($0) }, "threads": .number(server.limits.threads),
                "connections": .number(server.limits.connections),
                "viewModels": .list(catalogue.viewModels.map(\.name)), "options": .list(options.given),
            ])
        started(url)
        let reason = await signals.first()
        stopping()
        await stop(because: reason)
        await withCheckedContinuation { done in service.environment.store.close { done.resume() } }
        log?.flush()
    }

    private func tell(_ kind: Event.Kind, _ fields: KeyValuePairs<String, Event.Value?>) {
        log?.record(Event(kind, fields))
    }
}

/// SIGTERM and SIGINT as something to wait for.
///
/// The second of them ends the process at once, with the status that a shell gives to a process that the signal ended.
/// SIGHUP and SIGPIPE end nothing.
private final class StopSignals: Sendable {
    private let names = AsyncStream.makeStream(of: String.self)
    private let hasArrived = Atomic(false)
    // Safe: complete before another thread has the object, and never changed; the array keeps the sources alive.
    nonisolated(unsafe) private let sources: [any DispatchSourceSignal]

    init() {
        for number in [SIGPIPE, SIGHUP, SIGTERM, SIGINT] { signal(number, SIG_IGN) }
        // A queue of its own has a thread of its own, which a view model that blocks the pool does not take.
        let queue = DispatchQueue(label: "bindery.signals")
        let numbers = [(SIGTERM, "SIGTERM"), (SIGINT, "SIGINT")]
        sources = numbers.map { DispatchSource.makeSignalSource(signal: $0.0, queue: queue) }
        let registered = DispatchGroup()
        for (source, (number, name)) in zip(sources, numbers) {
            source.setEventHandler { [weak self] in
                guard let self, !hasArrived.exchange(true, ordering: .relaxed) else { _exit(128 + number) }
                // Whatever hangs: the log, a handler or the store.
                queue.asyncAfter(deadline: .now() + .milliseconds(9500)) { _exit(1) }
                names.continuation.yield(name)
            }
            registered.enter()
            source.setRegistrationHandler { registered.leave() }
            source.resume()
        }
        // A signal before the registration would be lost.
        registered.wait()
    }

    /// Returns the name of the first signal, when it has arrived.
    func first() async -> String { await names.stream.first { _ in true } ?? "stop" }
}
