import Entities
import StoreParts

/// Reads entities, heads and keys: one thread with one connection, all questions that wait at a time.
final class Reader: Sendable {
    /// A question with its callback.
    enum Question: Sendable {
        case load(EntityID, @Sendable (LoadResult) -> Void)
        case head(EntityID, @Sendable (HeadResult) -> Void)
        case key(KeyDigest, EntityID, @Sendable (KeyResult) -> Void)

        /// The entity.
        var id: EntityID {
            switch self {
            case .load(let id, _), .head(let id, _), .key(_, let id, _): id
            }
        }
    }

    private let lane = Lane<Question>()
    private let answers: Answers

    /// Starts the thread.
    ///
    /// - Parameters:
    ///   - failed: called on the thread if the database does not answer.
    ///   - closed: called at the end of the thread.
    init(_ common: Common, failed: @escaping @Sendable () -> Void, closed: @escaping @Sendable () -> Void) {
        answers = common.answers
        lane.start(named: "store-reader") { [lane] in
            var reads = Reads(common)
            while let questions = lane.take(atMost: 1_024) {
                let (replies, isAnswered) = reads.answer(questions)
                if !isAnswered { failed() }
                common.answers.give { for reply in replies { reply() } }
            }
            closed()
        }
    }

    /// Takes a question.
    func ask(_ question: Question) {
        guard !lane.add(question) else { return }
        answers.give {
            switch question {
            case .load(_, let done): done(.failed)
            case .head(_, let done): done(.failed)
            case .key(_, _, let done): done(.failed)
            }
        }
    }

    /// Ends the thread after everything that waits.
    func close() { lane.close() }
}

/// The state of the reader's thread.
private struct Reads {
    /// How many entities one statement loads; each may have a mebibyte.
    static let loadsAtOnce = 64

    private let statements: ReadStatements
    private let settings: PostgresStore.Settings
    private let doubts: Doubts
    private var link: Link

    init(_ common: Common) {
        (statements, settings) = (ReadStatements(common.schema), common.settings)
        (doubts, link) = (common.doubts, common.link())
    }

    /// Asks the database, one statement for each kind of question.
    ///
    /// - Returns: the replies in the order of the questions, and whether the database has answered.
    mutating func answer(_ questions: [Reader.Question]) -> (replies: [@Sendable () -> Void], isAnswered: Bool) {
        var loads: [EntityID: LoadResult] = [:]
        var heads: [EntityID: HeadResult] = [:]
        var keys: [(KeyDigest, EntityID)] = []
        for question in questions {
            switch question {
            case .load(let id, _): loads[id] = .missing
            case .head(let id, _): heads[id] = .missing
            case .key(let key, let id, _): keys.append((key, id))
            }
        }
        var keyResults: [KeyResult] = []
        var isAnswered = true
        do throws(PostgresFailure) {
            if !loads.isEmpty { try load(&loads) }
            doubts.remove(loads.keys)
            if !heads.isEmpty { try look(&heads) }
            if !keys.isEmpty { keyResults = try lookUp(keys) }
        } catch {
            (isAnswered, loads, heads, keyResults) = (false, [:], [:], [])
        }
        var replies: [@Sendable () -> Void] = []
        var nextKey = keyResults.makeIterator()
        for question in questions {
            switch question {
            case .load(let id, let done): replies.append { [result = loads[id] ?? .failed] in done(result) }
            case .head(let id, let done): replies.append { [result = heads[id] ?? .failed] in done(result) }
            case .key(_, _, let done): replies.append { [result = nextKey.next() ?? .failed] in done(result) }
            }
        }
        return (replies, isAnswered)
    }

    private mutating func load(_ loads: inout [EntityID: LoadResult]) throws(PostgresFailure) {
        let ids = Array(loads.keys)
        for start in stride(from: 0, to: ids.count, by: Self.loadsAtOnce) {
            let some = ids[start..<min(start + Self.loadsAtOnce, ids.count)]
            let names = Dictionary(some.map { ($0.text, $0) }) { first, _ in first }
            let answer = try run(statements.load) { $0.add(texts: some.map(\.text)) }
            for row in 0..<answer.count {
                guard let id = names[answer.text(row, 0)] else { continue }
                loads[id] = entity(id, answer, row)
            }
        }
    }

    private func entity(_ id: EntityID, _ answer: Answer, _ row: Int) -> LoadResult {
        guard let ring = RowForm.ring(answer.bytes(row, 3)), let parts = RowForm.parts(answer.bytes(row, 5)) else {
            settings.tell(.unreadable(id))
            return .failed
        }
        return .found(
            StoredEntity(
                id: id, head: answer.stamp(row, from: 1), ring: ring, language: answer.text(row, 4), parts: parts))
    }

    private mutating func look(_ heads: inout [EntityID: HeadResult]) throws(PostgresFailure) {
        let ids = Array(heads.keys)
        let names = Dictionary(ids.map { ($0.text, $0) }) { first, _ in first }
        let answer = try run(statements.heads) { $0.add(texts: ids.map(\.text)) }
        for row in 0..<answer.count {
            if let id = names[answer.text(row, 0)] { heads[id] = .at(answer.stamp(row, from: 1)) }
        }
    }

    private mutating func lookUp(_ keys: [(digest: KeyDigest, id: EntityID)]) throws(PostgresFailure) -> [KeyResult] {
        let answer = try run(statements.keys) { parameters in
            parameters.add(texts: keys.map(\.id.text))
            parameters.add(bytes: keys.map(\.digest.bytes))
            parameters.add(numbers: keys.indices.map { Int64($0) })
        }
        var results = [KeyResult](repeating: .missing(count: 0), count: keys.count)
        for row in 0..<answer.count {
            let place = Int(answer.number(row, 0))
            guard answer.bool(row, 1) else {
                results[place] = .missing(count: Int(answer.number(row, 7)))
                continue
            }
            let remembered = Remembered(
                status: Int(answer.number(row, 3)), body: answer.bytes(row, 4),
                etag: answer.isNull(row, 5) ? nil : answer.text(row, 5))
            // The rest of the window.
            let window = Duration.seconds(answer.double(row, 6))
            results[place] = .found(
                StoredKey(
                    digest: keys[place].digest, request: answer.bytes(row, 2), remembered: remembered, window: window))
        }
        return results
    }

    private mutating func run(
        _ statement: String, _ fill: (inout Parameters) -> Void
    ) throws(PostgresFailure) -> Answer {
        var parameters = Parameters()
        fill(&parameters)
        return try link.run(statement, parameters, within: settings.readTimeout)
    }
}
