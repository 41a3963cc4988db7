import HTTP
import Locking
import Sessions

/// One client's event stream: the long-poll's answers, one after the other, as Server-Sent Events.
///
/// It keeps no task and no wait of its own: its ``StreamGroup`` tells it. Where it does not take an event, because the one
/// before is still on its way, it asks the session for what came after its own cursor when there is room: what changed
/// meanwhile is told in one later event, never lost.
final class ChangeStream: EventSource {
    private struct State: Sendable {
        /// How far the client was told.
        var cursor: Cursor
        /// The group's event after which it stands, where it stands where the group does.
        var round: UInt64?
        /// Whether it waits for room.
        var isBehind = true
        /// What it begins with; nil once that was sent.
        var first: FeedAnswer?
        /// A ping that had no room, to be sent when there is some, unless there is more to say.
        var ping: Ping?
    }

    /// A ping, and where whoever takes it stands.
    private struct Ping: Sendable {
        let event: SharedBody
        let place: StreamGroup.Place
    }

    private let events: EventStream
    private let group: StreamGroup
    private let groups: StreamGroups
    /// Kept for as long as the stream is open; nil where it needs none.
    private let place: StreamPlaces.Place?
    private let end: Duration
    private let state: Lock<State>

    /// - Parameters:
    ///   - first: what there is to say at once.
    ///   - end: when the client is made to come back.
    init(
        _ events: EventStream, in group: StreamGroup, of groups: StreamGroups, first: FeedAnswer,
        place: StreamPlaces.Place?, end: Duration
    ) {
        self.events = events
        self.group = group
        self.groups = groups
        self.place = place
        self.end = end
        state = Lock(State(cursor: first.cursor, first: first))
    }

    /// Hands on an event of the group's; one that stands elsewhere in the feed catches up instead.
    ///
    /// - Parameters:
    ///   - before: the group's event before this one.
    ///   - place: where whoever takes it stands.
    ///   - time: what the clock says.
    func tell(_ event: SharedBody, isPing: Bool, after before: UInt64, at place: StreamGroup.Place, time: Duration) {
        guard time < end else { return events.finish() }
        // Sending is a few instructions: it leaves the event for the client's own loop.
        let isElsewhere = state.withLock { state in
            guard !state.isBehind else { return false }
            guard state.round == before else { return true }
            if events.send(event) == .taken {
                (state.cursor, state.round) = (place.cursor, place.round)
            } else {
                state.isBehind = true
                state.ping = isPing ? Ping(event: event, place: place) : nil
            }
            return false
        }
        if isElsewhere { catchUp(orSay: isPing ? Ping(event: event, place: place) : nil) }
    }

    /// Ends the stream, with a last word where there is one.
    func end(saying last: SharedBody?) { events.finish(saying: last) }

    func streamIsReady() {
        let (first, ping) = state.withLock { ($0.first.take(), $0.ping.take()) }
        // It comes at once, if it is a ping: until something comes, no client knows that the stream is open.
        if let first { events.send(SharedBody(first.frame(retry: 2000))) }
        catchUp(orSay: ping)
    }

    func streamIsOver() { groups.leave(group, self) }

    /// Tells what the client has not heard, until it stands where the feed does or the event has no room.
    private func catchUp(orSay ping: Ping?) {
        var ping = ping
        while true {
            switch try? group.changes(since: state.withLock { $0.cursor }) {
            case .answer(let answer):
                let isTaken = state.withLock { state in
                    state.isBehind = events.send(answer.event) != .taken
                    if !state.isBehind { state.cursor = answer.cursor }
                    return !state.isBehind
                }
                guard isTaken else { return }
            case .nothing:
                if stands(orSay: ping) { return }
                ping = nil
            case .elsewhere, nil:
                // It takes longer to say, or the session is over: the client comes back with its cursor.
                return events.finish()
            }
        }
    }

    /// Takes the place in the feed that it has come to; false where the group has gone on meanwhile.
    private func stands(orSay ping: Ping?) -> Bool {
        let now = group.place
        state.withLock { state in
            state.isBehind = false
            // A ping moves the cursor past what the topics filter out, and never back.
            if let ping, ping.place.cursor.seq >= state.cursor.seq, events.send(ping.event) == .taken {
                state.cursor = ping.place.cursor
            }
            state.round = state.cursor == now.cursor ? now.round : nil
        }
        return group.place.round == now.round
    }
}
