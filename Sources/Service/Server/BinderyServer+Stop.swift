import Dispatch
import Events
import Glibc
import HTTP
import Synchronization

import class Entities.TimerThread

extension BinderyServer {
    /// Stops, within ``drainTime``.
    ///
    /// `/readyz` turns 503, and the server serves everything for the drain delay. Then it answers polls, ends streams,
    /// and waits for running requests and effects. Requests that still run at the end get 503. The store stays open.
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
        // From now on each answer closes its connection. Otherwise the stop could cut off the next request on it.
        server.beginDraining()
        try? await Task.sleep(for: delay)
        service.drain(sparing: server.gauges.begun)
        let effects = service.environment.effects
        effects.hold()
        await server.stop(within: limit - delay)
        // If the stop cuts off an attempt, another process repeats it only when the attempt counts as lost.
        while effects.runningCount > 0, ContinuousClock.now - start < limit {
            try? await Task.sleep(for: .milliseconds(10))
        }
        // The listener for operators stops last: it reports that the server is about to stop.
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
    ///   - started: receives the URL of the server, without a slash at the end.
    ///   - stopping: the server calls it when the stop begins.
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

/// Waits for SIGTERM or SIGINT, and ignores SIGHUP and SIGPIPE.
///
/// The second signal ends the process at once. Its exit status is 128 plus the signal's number, as in a shell.
private final class StopSignals: Sendable {
    private let names = AsyncStream.makeStream(of: String.self)
    private let hasArrived = Atomic(false)
    // Safe: `init` sets it before another thread has the object, and nothing changes it. It keeps the sources alive.
    nonisolated(unsafe) private let sources: [any DispatchSourceSignal]

    init() {
        for number in [SIGPIPE, SIGHUP, SIGTERM, SIGINT] { signal(number, SIG_IGN) }
        // The signals have their own queue, so a view model that blocks the pool does not delay them.
        let queue = DispatchQueue(label: "bindery.signals")
        let numbers = [(SIGTERM, "SIGTERM"), (SIGINT, "SIGINT")]
        sources = numbers.map { DispatchSource.makeSignalSource(signal: $0.0, queue: queue) }
        let registered = DispatchGroup()
        for (source, (number, name)) in zip(sources, numbers) {
            source.setEventHandler { [weak self] in
                guard let self, !hasArrived.exchange(true, ordering: .relaxed) else { _exit(128 + number) }
                // The log, a handler or the store may hang.
                queue.asyncAfter(deadline: .now() + .milliseconds(9500)) { _exit(1) }
                names.continuation.yield(name)
            }
            registered.enter()
            source.setRegistrationHandler { registered.leave() }
            source.resume()
        }
        // The process would lose a signal that comes before the registration.
        registered.wait()
    }

    /// Waits for the first signal and returns its name.
    func first() async -> String { await names.stream.first { _ in true } ?? "stop" }
}
