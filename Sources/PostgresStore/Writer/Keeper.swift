import Entities
import StoreParts

/// Notes uses, and deletes what has expired: one thread with one connection, so that no commit waits for it.
final class Keeper: Sendable {
    private enum Request: Sendable {
        case touch([EntityID])
        case expire(ttl: Duration, limit: Int, @Sendable ([EntityID]) -> Void)
    }

    /// How many rows one statement notes: it holds their locks until the standby has it.
    private static let touchesAtOnce = 256

    private let lane = Lane<Request>()
    private let statements: KeepingStatements
    private let settings: PostgresStore.Settings
    private let answers: Answers

    /// Starts the thread.
    ///
    /// - Parameters:
    ///   - moved: called on the thread with entities that it has deleted.
    ///   - closed: called at the end of the thread.
    init(
        _ common: Common, moved: @escaping @Sendable ([EntityID]) -> Void, closed: @escaping @Sendable () -> Void
    ) {
        (statements, settings, answers) = (KeepingStatements(common.schema), common.settings, common.answers)
        lane.start(named: "store-keeper") { [self] in
            var link = common.link()
            while let requests = lane.take(atMost: 16) {
                for request in requests {
                    switch request {
                    case .touch(let ids): touch(ids, &link)
                    case .expire(let ttl, let limit, let done):
                        let ended = expire(ttl, limit, &link)
                        if !ended.isEmpty { moved(ended) }
                        answers.give { done(ended) }
                    }
                }
            }
            closed()
        }
    }

    /// Notes that entities are in use now.
    func touch(_ ids: [EntityID]) { _ = lane.add(.touch(ids)) }

    /// Deletes unused sessions, and keys whose window has passed.
    func expire(unusedFor ttl: Duration, limit: Int, then done: @escaping @Sendable ([EntityID]) -> Void) {
        if !lane.add(.expire(ttl: ttl, limit: limit, done)) { answers.give { done([]) } }
    }

    /// Ends the thread after everything that waits.
    func close() { lane.close() }

    private func touch(_ ids: [EntityID], _ link: inout Link) {
        for start in stride(from: 0, to: ids.count, by: Self.touchesAtOnce) {
            var parameters = Parameters()
            parameters.add(texts: ids[start..<min(start + Self.touchesAtOnce, ids.count)].map(\.text))
            // A failure only loses the note.
            _ = try? link.run(statements.touch, parameters, within: settings.commitTimeout)
        }
    }

    private func expire(_ ttl: Duration, _ limit: Int, _ link: inout Link) -> [EntityID] {
        var keys = Parameters()
        keys.add(limit)
        _ = try? link.run(statements.expireKeys, keys, within: settings.commitTimeout)
        var parameters = Parameters()
        parameters.add(ttl / .seconds(1))
        parameters.add(limit)
        let answer = try? link.run(statements.expireEntities, parameters, within: settings.commitTimeout)
        guard let answer else { return [] }
        return (0..<answer.count).map { .session(answer.text($0, 0)) }
    }
}
