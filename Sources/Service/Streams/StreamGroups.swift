import HTTP
import Locking
import Sessions

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
        _ events: EventStream, of session: Session, query: FeedQuery, first: FeedAnswer, place: StreamPlaces.Place?
    ) -> ChangeStream {
        var query = query
        query.since = nil
        let life = options.streamLife
        let end = timeline.now + life.lowerBound + (life.upperBound - life.lowerBound) * Double.random(in: 0...1)
        while true {
            let (group, isNew) = group(of: session, query: query, from: first.cursor)
            let stream = ChangeStream(events, in: group, of: self, first: first, place: place, end: end)
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
