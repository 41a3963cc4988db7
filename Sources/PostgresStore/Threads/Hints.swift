import Entities
import Foundation
import Locking

/// Tells other replicas of commits, and hears of theirs: one thread with a connection to the server itself.
///
/// NOTIFY is never inside a commit: all transactions that use it commit one after the other. A hint may be lost, so every new
/// connection, and each interval of polling, says that anything may have moved.
final class Hints: Sendable {
    private struct State: Sendable {
        var toTell: Set<EntityID> = []
        var observers: [@Sendable (EntityID?) -> Void] = []
        var isClosed = false
    }

    private let state = Lock(State())
    private let bell = Bell()
    private let target: Target
    private let channel: Schema
    private let settings: PostgresStore.Settings

    /// - Parameter target: the server itself, not a transaction pooler.
    init(_ target: Target, _ channel: Schema, _ settings: PostgresStore.Settings) {
        (self.target, self.channel, self.settings) = (target, channel, settings)
    }

    /// Adds an observer of hints.
    func observe(_ moved: @escaping @Sendable (EntityID?) -> Void) { state.withLock { $0.observers.append(moved) } }

    /// Tells the other replicas within milliseconds.
    func tell(_ ids: [EntityID]) {
        guard settings.hints == .notify else { return }
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

    /// Works until ``close()``.
    func run() {
        while !isClosed {
            guard settings.hints == .notify else {
                bell.wait(for: settings.pollInterval)
                moved(nil)
                continue
            }
            do throws(PostgresFailure) {
                try listen()
            } catch {
                // These hints are lost, so that they do not pile up.
                _ = takeHints()
                // The bell keeps what it is rung for: a commit that was told meanwhile wakes the next connection.
                if !isClosed { Thread.sleep(forTimeInterval: settings.patience / .seconds(1)) }
            }
        }
    }

    private func listen() throws(PostgresFailure) {
        let connection = try Connection(target)
        try connection.execute("LISTEN \(channel.quoted)", within: settings.readTimeout)
        // From here on no hint is lost, and before it any may be.
        moved(nil)
        var isLast = false
        while !isLast {
            bell.wait(for: .seconds(3_600), orFor: connection.socket)
            isLast = isClosed
            for payload in try connection.takeNotifications() { for id in HintPayload.ids(in: payload) { moved(id) } }
            let ids = takeHints()
            if !ids.isEmpty { try tell(ids, over: connection) }
        }
    }

    private func tell(_ ids: Set<EntityID>, over connection: Connection) throws(PostgresFailure) {
        var parameters = Parameters()
        parameters.add(channel.name)
        parameters.add(texts: HintPayload.payloads(ids))
        _ = try connection.run(
            "SELECT pg_notify($1::text, a.payload) FROM unnest($2::text[]) AS a (payload)", parameters,
            within: settings.readTimeout)
        // Hints that come meanwhile go together.
        Thread.sleep(forTimeInterval: settings.hintInterval / .seconds(1))
    }

    private var isClosed: Bool { state.withLock { $0.isClosed } }

    private func takeHints() -> Set<EntityID> {
        state.withLock { state in
            defer { state.toTell = [] }
            return state.toTell
        }
    }

    private func moved(_ id: EntityID?) { for observer in state.withLock({ $0.observers }) { observer(id) } }
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
