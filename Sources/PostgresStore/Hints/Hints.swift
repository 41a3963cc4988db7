import Entities
import Foundation
import Glibc
import Locking

/// Tells other replicas of commits, and hears of theirs: one thread with a connection to the server itself.
///
/// NOTIFY is never inside a commit: all transactions that use it commit one after the other. A hint may be lost, so every new
/// connection, and each interval of polling, says that anything may have moved.
final class Hints: Sendable {
    fileprivate struct State: Sendable {
        var toTell: Set<EntityID> = []
        var observers: [@Sendable (EntityID?) -> Void] = []
        var isClosed = false
    }

    fileprivate let state = Lock(State())
    fileprivate let bell = Bell()
    private let isTold: Bool

    /// Starts the thread.
    ///
    /// - Parameter target: the server itself, not a transaction pooler.
    init(
        _ target: Target, _ schema: Schema, _ settings: PostgresStore.Settings, closed: @escaping @Sendable () -> Void
    ) {
        isTold = settings.hints == .notify
        let thread = Thread { [self] in
            if isTold {
                var loop = HintLoop(hints: self, target: target, channel: schema, settings: settings)
                loop.run()
            } else {
                while !isClosed {
                    bell.wait(for: settings.pollInterval)
                    moved(nil)
                }
            }
            closed()
        }
        thread.name = "store-hints"
        thread.start()
    }

    /// Adds an observer of hints.
    func observe(_ moved: @escaping @Sendable (EntityID?) -> Void) { state.withLock { $0.observers.append(moved) } }

    /// Tells the other replicas within milliseconds.
    func tell(_ ids: [EntityID]) {
        guard isTold else { return }
        let isFirst = state.withLock { state in
            defer { state.toTell.formUnion(ids) }
            return state.toTell.isEmpty
        }
        if isFirst { bell.ring() }
    }

    /// Ends the thread, after it has told what waits.
    func close() {
        state.withLock { $0.isClosed = true }
        bell.ring()
    }

    fileprivate var isClosed: Bool { state.withLock { $0.isClosed } }

    fileprivate func moved(_ id: EntityID?) { for observer in state.withLock({ $0.observers }) { observer(id) } }
}

/// The state of the thread that listens.
private struct HintLoop {
    let hints: Hints
    let target: Target
    let channel: Schema
    let settings: PostgresStore.Settings
    private var connection: Connection?
    /// From when on others may be told again.
    private var nextTelling = ContinuousClock.now
    private var hasToTell = false

    init(hints: Hints, target: Target, channel: Schema, settings: PostgresStore.Settings) {
        (self.hints, self.target, self.channel, self.settings) = (hints, target, channel, settings)
    }

    mutating func run() {
        while true {
            do throws(PostgresFailure) {
                try turn()
            } catch {
                connection = nil
                // These hints are lost, so that they do not pile up.
                hints.state.withLock { $0.toTell = [] }
                if !hints.isClosed { hints.bell.wait(for: settings.patience) }
            }
            if hints.isClosed { return }
        }
    }

    private mutating func turn() throws(PostgresFailure) {
        if connection == nil {
            let new = try Connection(target)
            try new.execute("LISTEN \(channel.quoted)", within: settings.readTimeout)
            connection = new
            // From here on no hint is lost, and before it any may be.
            hints.moved(nil)
        }
        guard let connection else { return }
        wait(connection.socket)
        if hasToTell, nextTelling <= .now || hints.isClosed { try tell(over: connection) }
        for payload in try connection.takeNotifications() {
            for id in HintPayload.ids(in: payload) { hints.moved(id) }
        }
    }

    /// Waits for a hint of others, or for one of our own that is due.
    private mutating func wait(_ socket: Int32) {
        let left = hasToTell ? max(.zero, nextTelling - .now) : .seconds(3_600)
        // While something has to be told, the bell is of no interest.
        if hints.bell.wait(for: left, orFor: socket, ignoresBell: hasToTell) { hasToTell = true }
    }

    private mutating func tell(over connection: Connection) throws(PostgresFailure) {
        hasToTell = false
        nextTelling = .now + settings.hintInterval
        let ids = hints.state.withLock { state in
            defer { state.toTell = [] }
            return state.toTell
        }
        guard !ids.isEmpty else { return }
        var parameters = Parameters()
        parameters.add(channel.name)
        parameters.add(texts: HintPayload.payloads(ids))
        _ = try connection.run(
            "SELECT pg_notify($1::text, a.payload) FROM unnest($2::text[]) AS a (payload)", parameters,
            within: settings.readTimeout)
    }
}

/// Hints as texts: a line for each entity, with its kind, a space and its name.
enum HintPayload {
    /// A payload of NOTIFY has fewer bytes (https://www.postgresql.org/docs/15/sql-notify.html).
    static let limit = 8_000

    /// As few texts as possible.
    ///
    /// A name that does not fit is left out: its hint is lost.
    static func payloads(_ ids: some Sequence<EntityID>) -> [String] {
        var payloads: [String] = []
        var payload = ""
        for id in ids {
            let line = "\(id.kind) \(id.text)\n"
            guard line.utf8.count < limit else { continue }
            if payload.utf8.count + line.utf8.count >= limit {
                payloads.append(payload)
                payload = ""
            }
            payload += line
        }
        return payload.isEmpty ? payloads : payloads + [payload]
    }

    /// Reads what ``payloads(_:)`` wrote, and ignores everything else.
    static func ids(in payload: String) -> [EntityID] {
        payload.split(separator: "\n").compactMap { line in
            let words = line.split(separator: " ", maxSplits: 1)
            return words.count == 2 ? EntityID(kind: String(words[0]), text: String(words[1])) : nil
        }
    }
}
