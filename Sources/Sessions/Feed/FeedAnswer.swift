import Locking

/// What a change feed says to a consumer; the same client code serves all kinds.
public struct FeedAnswer: Sendable {
    /// Why the answer is what it is.
    public enum Kind: Equatable, Sendable {
        /// All that changed since the consumer's cursor.
        case delta
        /// Every output, because the consumer's cursor says nothing about this feed.
        case snapshot(SnapshotReason)
        /// Nothing changed.
        case idle(IdleReason)
    }

    /// Why a snapshot was given.
    public enum SnapshotReason: String, Sendable {
        /// The consumer had no cursor.
        case initial
        /// Its cursor's epoch is none of this session's history, or was forgotten.
        case epoch
        /// Its cursor lies beyond what its epoch reached in this history: the store was put back to an older copy.
        case history
        /// Its cursor lies after the latest commit.
        case future
    }

    /// Why a wait ended with nothing.
    public enum IdleReason: Equatable, Sendable {
        /// Its time was over.
        case deadline
        /// A newer poll of the same session took its place.
        case superseded
        /// The server is about to stop; come back after so many seconds.
        case draining(retryAfter: Int)

        /// Draining, with a pause drawn at random, so that not all come back at once.
        static var drainingForAWhile: IdleReason { .draining(retryAfter: .random(in: 0...5)) }
    }

    /// What kind of answer it is.
    public let kind: Kind
    /// Where the consumer stands once it has applied the answer.
    public let cursor: Cursor
    /// The answer as JSON text.
    public let json: [UInt8]

    /// What was made of the answer for those it is given to.
    let renditions = Renditions()

    /// The kind as it is written on the wire, and as the name of an event.
    public var name: String { kind.name }

    /// What a consumer is told at once where nothing has changed since its cursor.
    public static func nothingNew(for query: FeedQuery) -> FeedAnswer? {
        query.since.map { FeedAnswer(.idle(.deadline), at: $0) }
    }

    /// What is made of the answer once, for all who are given it: ten thousand polls of one change are told the same bytes.
    ///
    /// One thing of each form, always of the same class; from any thread.
    public func rendition<Rendition: AnyObject & Sendable>(
        as form: RenditionForm, _ make: () -> Rendition
    ) -> Rendition {
        renditions.made.withLock { made in
            if let rendition = made[form] as? Rendition { return rendition }
            let rendition = make()
            made[form] = rendition
            return rendition
        }
    }

    /// What an answer is made into.
    public enum RenditionForm: Sendable {
        /// The answer to a poll.
        case answer
        /// An event of a stream.
        case event
    }
}

/// The things made of one answer.
final class Renditions: Sendable {
    let made = Lock<[FeedAnswer.RenditionForm: any AnyObject & Sendable]>([:])
}
