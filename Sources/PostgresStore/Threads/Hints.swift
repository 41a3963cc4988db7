import Entities
import Foundation
import Locking

/// Sends hints about commits to other replicas, and receives theirs: one thread, connected to the server itself.
///
/// NOTIFY is never inside a commit, because the server commits all transactions with NOTIFY one after the other. A hint may
/// be lost. So each new connection, and each polling interval, tells the observers that anything may have moved.
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

    /// Sends hints to the other replicas within milliseconds.
    func tell(_ ids: [EntityID]) {
        guard settings.hints == .notify else { return }
        let isFirst = state.withLock { state in
            defer { state.toTell.formUnion(ids) }
            return state.toTell.isEmpty
        }
        if isFirst { bell.ring() }
    }

    /// Ends the thread after it has sent the waiting hints.
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
                // Drop the hints, so that they do not pile up.
                _ = takeHints()
                // The bell stays rung: a hint that comes meanwhile wakes the next connection.
                if !isClosed { Thread.sleep(forTimeInterval: settings.patience / .seconds(1)) }
            }
        }
    }

    private func listen() throws(PostgresFailure) {
        let connection = try Connection(target)
        try connection.execute("LISTEN \(channel.quoted)", within: settings.readTimeout)
        // Later hints all arrive; earlier hints may be lost.
        moved(nil)
        var isLast = false
        while !isLast {
            bell.wait(for: .seconds(3_600), orFor: connection.socket)
            isLast = isClosed
            for id in try connection.takeNotifications().compactMap(EntityID.init(hint:)) { moved(id) }
            let ids = takeHints()
            if !ids.isEmpty { try tell(ids, over: connection) }
        }
    }

    private func tell(_ ids: Set<EntityID>, over connection: Connection) throws(PostgresFailure) {
        let statement = "SELECT pg_notify($1::text, a.payload) FROM unnest($2::text[]) AS a (payload)"
        _ = try connection.run(statement, within: settings.readTimeout) {
            $0.add(channel.name)
            $0.add(texts: ids.map(\.hint))
        }
        // Hints that come during this pause are sent together.
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

extension EntityID {
    /// The payload of NOTIFY: the kind, a space and the name.
    fileprivate var hint: String { "\(kind) \(text)" }

    /// Reads a payload; nil if it is malformed.
    fileprivate init?(hint: String) {
        let words = hint.split(separator: " ", maxSplits: 1)
        guard words.count == 2 else { return nil }
        self.init(kind: String(words[0]), text: String(words[1]))
    }
}
