import HTTP
import Locking
import Sessions

/// One client's event stream: the long-poll's answers, one after the other, as Server-Sent Events.
///
/// It keeps no task and no wait of its own: its ``StreamGroup`` tells it. Where it does not take an event, because the one
/// before is still on its way, it asks the session for what came after its own cursor when there is room: what changed
/// meanwhile is told in one later event, never lost.
final class ChangeStream: EventSource {
    private enum Phase: Sendable {
        /// For its head to be sent, or for room.
        case waiting
        /// Somebody asks the session what it has missed; `again`, where the group has said more meanwhile.
        case catchingUp(again: Bool)
        /// It has heard all there is.
        case standing
    }

    private struct State: Sendable {
        /// How far the client was told.
        var cursor: Cursor
        /// The group's event after which it stands, where it stands where the group does.
        var round: UInt64?
        var phase = Phase.waiting
        /// What it begins with; nil once that was sent.
        var first: FeedAnswer?
        /// A ping that could not be sent at once: it is sent later, unless there is more to say.
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
            if case .standing = state.phase, state.round == before, events.send(event) == .taken {
                (state.cursor, state.round) = (place.cursor, place.round)
                return false
            }
            if isPing { state.ping = Ping(event: event, place: place) }
            switch state.phase {
            case .standing where state.round == before:
                state.phase = .waiting
                return false
            case .standing:
                state.phase = .catchingUp(again: false)
                return true
            case .catchingUp:
                state.phase = .catchingUp(again: true)
                return false
            case .waiting: return false
            }
        }
        if isElsewhere { catchUp() }
    }

    /// Ends the stream, with a last word where there is one.
    func end(saying last: SharedBody?) { events.finish(saying: last) }

    func streamIsReady() {
        let first = state.withLock { state in
            state.phase = .catchingUp(again: false)
            return state.first.take()
        }
        // It comes at once, if it is a ping: until something comes, no client knows that the stream is open.
        if let first { events.send(SharedBody(first.frame(retry: 2000))) }
        catchUp()
    }

    func streamIsOver() { groups.leave(group, self) }

    /// Tells what the client has not heard, until it stands where the feed does or an event has no room.
    ///
    /// By one thread at a time: whoever made it ``Phase/catchingUp(again:)``.
    private func catchUp() {
        do {
            while true {
                switch try group.changes(since: state.withLock { $0.cursor }) {
                case .now(let answer): if !goesOn(after: answer) { return }
                case .later(let find): return catchUp(after: find)
                }
            }
        } catch {
            end(because: error)
        }
    }

    /// The same where it takes longer to say, as where others write to the store.
    private func catchUp(after find: @escaping @Sendable () async throws -> FeedAnswer?) {
        Task { [self] in
            do {
                if goesOn(after: try await find()) { catchUp() }
            } catch {
                end(because: error)
            }
        }
    }

    /// Whether there may be more to say.
    private func goesOn(after answer: FeedAnswer?) -> Bool {
        if let answer { send(answer) } else { !stands(at: group.place) }
    }

    /// The client comes back with its cursor, unless there is nothing to come back to.
    private func end(because error: any Error) {
        if case SessionFailure.ended = error { end(saying: StreamGroup.sessionEnded) } else { events.finish() }
    }

    /// False where it has no room: whoever says that there is some goes on.
    private func send(_ answer: FeedAnswer) -> Bool {
        state.withLock { state in
            guard events.send(answer.event) == .taken else {
                state.phase = .waiting
                return false
            }
            state.cursor = answer.cursor
            // A ping before it says nothing more.
            state.ping = nil
            return true
        }
    }

    /// Takes the place in the feed that it has come to; false where the group has said more meanwhile.
    private func stands(at place: StreamGroup.Place) -> Bool {
        state.withLock { state in
            if case .catchingUp(again: true) = state.phase {
                state.phase = .catchingUp(again: false)
                return false
            }
            // A ping moves the cursor past what the topics filter out, and never back.
            if let ping = state.ping.take(), ping.place.cursor.seq >= state.cursor.seq {
                guard events.send(ping.event) == .taken else {
                    state.ping = ping
                    state.phase = .waiting
                    return true
                }
                state.cursor = ping.place.cursor
            }
            state.round = state.cursor == place.cursor ? place.round : nil
            state.phase = .standing
            return true
        }
    }
}

extension [UInt8] {
    /// JSON text with U+0085, U+2028 and U+2029 as escapes, which stand in its strings alone (RFC 8259, section 7).
    ///
    /// No line of an event ends at one of them (WHATWG HTML, "Parsing an event stream"), but some clients split where
    /// Unicode would: the event of one user's pasted text would stop them for good.
    var withoutLineSeparators: [UInt8] {
        guard contains(where: { $0 == 0xC2 || $0 == 0xE2 }) else { return self }
        var text: [UInt8] = []
        text.reserveCapacity(count)
        var rest = self[...]
        while let byte = rest.first {
            if rest.starts(with: [0xC2, 0x85]) {
                text += "\\u0085".utf8
                rest = rest.dropFirst(2)
            } else if rest.starts(with: [0xE2, 0x80, 0xA8]) || rest.starts(with: [0xE2, 0x80, 0xA9]) {
                text += (rest[rest.startIndex + 2] == 0xA8 ? "\\u2028" : "\\u2029").utf8
                rest = rest.dropFirst(3)
            } else {
                text.append(byte)
                rest = rest.dropFirst()
            }
        }
        return text
    }
}
