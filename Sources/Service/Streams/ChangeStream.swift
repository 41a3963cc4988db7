import HTTP
import Locking
import Sessions

/// One client's event stream: the answers of the long-poll, one after the other, as Server-Sent Events.
///
/// It keeps no task and no wait of its own: its ``StreamGroup`` tells it. It asks the session for what it missed only
/// until it stands where its group stands.
final class ChangeStream: Sendable {
    private enum Phase: Sendable {
        /// It asks the session for what it missed; `again` if the group has said more meanwhile.
        case catchingUp(again: Bool)
        /// It has told all there is.
        case standing
    }

    private struct State: Sendable {
        /// How far the client was told.
        var cursor: Cursor
        /// The event of the group after which it stands.
        var round: UInt64?
        var phase = Phase.catchingUp(again: false)
    }

    private let events: Stream
    private let group: StreamGroup
    private let groups: StreamGroups
    /// Kept as long as the stream is open; nil if it needs none.
    private let place: StreamPlaces.Place?
    private let end: Duration
    private let state: Lock<State>

    /// - Parameter end: when the client must come back.
    init(
        _ events: Stream, in group: StreamGroup, of groups: StreamGroups, from cursor: Cursor,
        place: StreamPlaces.Place?, end: Duration
    ) {
        self.events = events
        self.group = group
        self.groups = groups
        self.place = place
        self.end = end
        state = Lock(State(cursor: cursor))
    }

    /// Sends the first answer, also if it is a ping: no client knows that the stream is open before an event comes.
    func begin(with first: FeedAnswer) {
        events.send(SharedBody(first.frame(retry: 2000)))
        catchUp()
    }

    /// Sends an event of the group; a stream that stands elsewhere catches up instead.
    ///
    /// - Parameters:
    ///   - before: the group's event before this one.
    ///   - place: where a stream stands after it.
    ///   - time: what the clock says.
    func tell(_ event: SharedBody, after before: UInt64, at place: StreamGroup.Place, time: Duration) {
        guard time < end else { return events.finish() }
        let isElsewhere = state.withLock { state in
            switch state.phase {
            case .standing where state.round == before:
                // Some instructions: the event is sent by the client's own loop.
                events.send(event)
                (state.cursor, state.round) = (place.cursor, place.round)
                return false
            case .standing:
                state.phase = .catchingUp(again: false)
                return true
            case .catchingUp:
                state.phase = .catchingUp(again: true)
                return false
            }
        }
        if isElsewhere { catchUp() }
    }

    /// Ends the stream, with a last event if there is one.
    func end(saying last: SharedBody?) { events.finish(saying: last) }

    /// The client has left, or the stream has ended.
    func isOver() { groups.leave(group, self) }

    /// Tells what the client has not heard, until the stream stands where the feed does.
    ///
    /// One thread at a time runs it: the one that set ``Phase/catchingUp(again:)``.
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
        guard let answer else { return !stands(at: group.place) }
        return state.withLock { state in
            state.cursor = answer.cursor
            return events.send(answer.event)
        }
    }

    /// The client comes back with its cursor, unless the session has ended.
    private func end(because error: any Error) {
        if case SessionFailure.ended = error { end(saying: StreamGroup.sessionEnded) } else { events.finish() }
    }

    /// Takes the place in the feed that it has come to; false if the group has said more meanwhile.
    private func stands(at place: StreamGroup.Place) -> Bool {
        state.withLock { state in
            if case .catchingUp(again: true) = state.phase {
                state.phase = .catchingUp(again: false)
                return false
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
