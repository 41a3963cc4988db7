import HTTP
import Locking
import Sessions

/// The event streams of one session that ask for the same.
///
/// The group is one consumer of the session's feed, however many streams it has: it waits once, an event is made once, and
/// every stream that has kept up is handed the same bytes. One that has not catches up by itself.
final class StreamGroup: Sendable {
    /// How far the group was told, by the feed and by the number of its events.
    struct Place: Sendable {
        var cursor: Cursor
        var round: UInt64 = 0
    }

    private struct State: Sendable {
        var place: Place
        var streams: [ObjectIdentifier: ChangeStream] = [:]
        var wait: SessionWait?
        var isOver = false
        /// Whether somebody tells the streams this moment; what arrives meanwhile is left here.
        var isTelling = false
        var next: Result<FeedAnswer, any Error>?
    }

    let session: Session
    /// Without a cursor.
    let query: FeedQuery
    private let options: ServiceOptions
    let timeline: any Timeline
    private let state: Lock<State>
    /// What was last told to one that caught up: those that fell behind together come back together.
    private let caughtUp = Lock<(since: Cursor, answer: FeedAnswer)?>(nil)

    /// A group that has heard everything up to `cursor`, of a session that it keeps in memory.
    init(of session: Session, query: FeedQuery, from cursor: Cursor, options: ServiceOptions, timeline: any Timeline) {
        self.session = session
        self.query = query
        self.options = options
        self.timeline = timeline
        state = Lock(State(place: Place(cursor: cursor)))
    }

    var place: Place { state.withLock { $0.place } }
    var isOver: Bool { state.withLock { $0.isOver } }

    /// Takes a stream in; false where the group is over already.
    func join(_ stream: ChangeStream) -> Bool {
        state.withLock { state in
            guard !state.isOver else { return false }
            state.streams[ObjectIdentifier(stream)] = stream
            return true
        }
    }

    /// Lets a stream go; true where it was the last one, and with it the group.
    func leave(_ stream: ChangeStream) -> Bool {
        let (isLast, wait) = state.withLock { state in
            state.streams[ObjectIdentifier(stream)] = nil
            guard state.streams.isEmpty else { return (false, SessionWait?.none) }
            state.isOver = true
            return (true, state.wait.take())
        }
        wait?.cancel()
        return isLast
    }

    /// What came after a stream's own cursor.
    ///
    /// - Throws: ``SessionFailure``.
    func changes(since cursor: Cursor) throws -> Eventual<FeedAnswer?> {
        let place = place.cursor
        if let known = caughtUp.withLock({ $0 }), known.since == cursor, known.answer.cursor == place {
            return .now(known.answer)
        }
        var query = query
        query.since = cursor
        let changes = try session.changes(query)
        if case .now(let answer?) = changes { caughtUp.withLock { $0 = (cursor, answer) } }
        return changes
    }

    /// Waits for what comes next, or until a ping is due.
    func wait() {
        var query = query
        query.since = place.cursor
        let wait = session.wait(for: query, lasting: options.pingInterval, as: .stream) { [self] in arrived($0) }
        let isOver = state.withLock { state in
            state.wait = wait
            return state.isOver
        }
        if isOver { wait.cancel() }
    }

    /// Tells the streams, and waits for more.
    ///
    /// On the thread of whoever made the change, once. What has come by the time that all were told is told by another
    /// thread: so that one thread does not send forever.
    private func arrived(_ result: Result<FeedAnswer, any Error>) {
        let isFirst = state.withLock { state in
            guard state.isTelling else {
                state.isTelling = true
                return true
            }
            state.next = result
            return false
        }
        guard isFirst else { return }
        tell(result)
        let next = state.withLock { state in
            if state.next == nil { state.isTelling = false }
            return state.next.take()
        }
        guard let next else { return }
        Task { [self] in
            state.withLock { $0.isTelling = false }
            arrived(next)
        }
    }

    private func tell(_ result: Result<FeedAnswer, any Error>) {
        switch result {
        case .success(let answer):
            if case .idle(.draining) = answer.kind { return end(saying: nil) }
            let (streams, before, now) = state.withLock { state in
                let before = state.place.round
                state.place = Place(cursor: answer.cursor, round: before + 1)
                return (state.streams.values, before, Place(cursor: answer.cursor, round: before + 1))
            }
            let event = answer.event
            let time = timeline.now
            for stream in streams { stream.tell(event, after: before, at: now, time: time) }
            wait()
        case .failure(SessionFailure.ended):
            end(saying: Self.sessionEnded)
        case .failure:
            // Given up, or the store is away: the clients come back with their cursors.
            end(saying: nil)
        }
    }

    /// The last word of a stream whose session has ended.
    static let sessionEnded = SharedBody(Stream.frame(event: "session-ended", id: nil, data: Array("{}".utf8)))

    /// Whoever comes now begins another group.
    private func end(saying last: SharedBody?) {
        let streams = state.withLock { state in
            state.isOver = true
            return state.streams.values
        }
        for stream in streams { stream.end(saying: last) }
    }
}

extension FeedAnswer {
    /// Whether it only says how far the client has heard everything.
    var isPing: Bool { if case .idle = kind { true } else { false } }

    /// The answer as an event, made once for all streams that are given it.
    var event: SharedBody { rendition(as: .event) { SharedBody(frame(retry: nil)) } }

    /// A delta or a snapshot, or a ping.
    ///
    /// - Parameter retry: after how many milliseconds a client is to come back, where it shall be told.
    func frame(retry: Int?) -> [UInt8] {
        Stream.frame(
            event: isPing ? "ping" : name, id: cursor.description,
            data: isPing ? Array("{}".utf8) : json.withoutLineSeparators, retry: retry)
    }
}

/// The groups of event streams that are open, by whose feed they follow and what they ask of it.
final class StreamGroups: Sendable {
    private struct Key: Hashable, Sendable {
        let session: ObjectIdentifier
        let query: FeedQuery

        init(_ group: StreamGroup) { self.init(group.session, group.query) }

        init(_ session: Session, _ query: FeedQuery) {
            self.session = ObjectIdentifier(session)
            self.query = query
        }
    }

    private let groups = Lock<[Key: StreamGroup]>([:])
    private let options: ServiceOptions
    private let timeline: any Timeline

    init(options: ServiceOptions, timeline: any Timeline) {
        self.options = options
        self.timeline = timeline
    }

    /// The source of a new stream, which begins with `first`.
    ///
    /// The session has been told to stay (``Session/openStream()``) on behalf of the stream, and is let go with it.
    func join(
        _ events: Stream, of session: Session, query: FeedQuery, first: FeedAnswer, place: StreamPlaces.Place?
    ) -> ChangeStream {
        var query = query
        query.since = nil
        let life = options.streamLife
        let end = timeline.now + life.lowerBound + (life.upperBound - life.lowerBound) * Double.random(in: 0...1)
        while true {
            let (group, isNew) = group(of: session, query: query, from: first.cursor)
            let stream = ChangeStream(events, in: group, of: self, from: first.cursor, place: place, end: end)
            // Else its last stream has just left.
            guard group.join(stream) else { continue }
            if isNew { group.wait() }
            return stream
        }
    }

    /// Lets a stream go, and with the last one its group.
    func leave(_ group: StreamGroup, _ stream: ChangeStream) {
        if group.leave(stream) { forget(group) }
        group.session.closeStream()
    }

    private func forget(_ group: StreamGroup) {
        groups.withLock { groups in
            if groups[Key(group)] === group { groups[Key(group)] = nil }
        }
    }

    private func group(of session: Session, query: FeedQuery, from cursor: Cursor) -> (StreamGroup, isNew: Bool) {
        groups.withLock { groups in
            let key = Key(session, query)
            if let group = groups[key], !group.isOver { return (group, false) }
            let group = StreamGroup(of: session, query: query, from: cursor, options: options, timeline: timeline)
            groups[key] = group
            return (group, true)
        }
    }
}
