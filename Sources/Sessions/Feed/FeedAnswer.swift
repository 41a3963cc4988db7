import Locking
import ViewModels

/// What a change feed says to a consumer; the same client code serves all kinds.
package struct FeedAnswer: Sendable {
    /// Why the answer is what it is.
    package enum Kind: Equatable, Sendable {
        /// All that changed since the consumer's cursor.
        case delta
        /// Every output, because the consumer's cursor says nothing about this feed.
        case snapshot(SnapshotReason)
        /// Nothing changed.
        case idle(IdleReason)
    }

    /// Why a snapshot was given.
    package enum SnapshotReason: String, Sendable {
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
    package enum IdleReason: Equatable, Sendable {
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
    package let kind: Kind
    /// Where the consumer stands once it has applied the answer.
    package let cursor: Cursor
    /// The answer as JSON text.
    package let json: [UInt8]

    /// What was made of the answer for those it is given to.
    let renditions = Renditions()

    /// The kind as it is written on the wire, and as the name of an event.
    package var name: String { kind.name }

    /// What a consumer is told at once where nothing has changed since its cursor.
    package static func nothingNew(for query: FeedQuery) -> FeedAnswer? {
        query.since.map { FeedAnswer(.idle(.deadline), at: $0) }
    }

    /// What is made of the answer once, for all who are given it: ten thousand polls of one change are told the same bytes.
    ///
    /// One thing of each form, always of the same class; from any thread.
    package func rendition<Rendition: AnyObject & Sendable>(
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
    package enum RenditionForm: Sendable {
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

extension FeedAnswer {
    /// Writes an answer down.
    ///
    /// - Parameter entries: what changed, in the order of seq.
    init(_ kind: Kind, at cursor: Cursor, entries: [FeedEntry] = [], includesValues: Bool = true) {
        self.kind = kind
        self.cursor = cursor
        var json = JSONWriter(capacity: 96 + entries.count * 96)
        json.text("{\"kind\":\"\(kind.name)\",")
        if case .snapshot(let reason) = kind { json.text("\"reason\":\"\(reason.rawValue)\",") }
        json.text("\"cursor\":\"\(cursor.description)\",\"changes\":[")
        for (index, entry) in entries.enumerated() {
            json.text(index == 0 ? "{\"seq\":" : ",{\"seq\":")
            json.text(String(entry.seq))
            json.text(",\"viewModel\":\"")
            json.text(entry.viewModel.rawValue)
            json.text("\",\"output\":\"")
            json.text(entry.output.rawValue)
            json.text("\"")
            if includesValues {
                json.text(",\"value\":")
                json.raw(entry.value)
            }
            json.text("}")
        }
        json.text("]")
        switch kind {
        case .idle(.superseded): json.text(",\"superseded\":true")
        case .idle(.draining(let seconds)): json.text(",\"retryAfter\":\(seconds)")
        default: break
        }
        json.text("}")
        self.json = json.bytes
    }
}

extension FeedAnswer.Kind {
    /// The kind as it is written on the wire.
    var name: String {
        switch self {
        case .delta: "delta"
        case .snapshot: "snapshot"
        case .idle: "idle"
        }
    }
}

/// Puts JSON text together from pieces that need no escaping or are JSON already.
private struct JSONWriter {
    private(set) var bytes: [UInt8] = []

    init(capacity: Int) { bytes.reserveCapacity(capacity) }

    mutating func text(_ piece: String) { bytes.append(contentsOf: piece.utf8) }
    mutating func raw(_ piece: [UInt8]) { bytes.append(contentsOf: piece) }
}

/// One changed output in an answer of the feed.
struct FeedEntry: Sendable {
    let seq: UInt64
    let viewModel: Name
    let output: Name
    let value: [UInt8]
}

/// What a consumer asks of a change feed.
///
/// Two consumers with equal queries are given the very same answer.
package struct FeedQuery: Hashable, Sendable {
    /// The place up to which the consumer knows everything; nil for one that knows nothing.
    package var since: Cursor?
    /// The outputs it wants to hear of; nil for all.
    package var topics: OutputSet?
    /// Whether it wants the values, or only to be told.
    package var includesValues: Bool

    /// Asks for what came after a place.
    package init(since: Cursor? = nil, topics: OutputSet? = nil, includesValues: Bool = true) {
        self.since = since
        self.topics = topics
        self.includesValues = includesValues
    }

    func wants(_ output: Int) -> Bool { topics?.contains(output) ?? true }
}

/// A set of outputs, counted through all view models of a catalogue.
package struct OutputSet: Hashable, Sendable {
    private var words: [UInt64]

    /// The empty set.
    package init() { words = [] }

    /// Adds an output by its place.
    package mutating func insert(_ output: Int) {
        while words.count <= output / 64 { words.append(0) }
        words[output / 64] |= 1 << UInt64(output % 64)
    }

    /// Whether an output is in the set.
    package func contains(_ output: Int) -> Bool {
        output / 64 < words.count && words[output / 64] & (1 << UInt64(output % 64)) != 0
    }
}
