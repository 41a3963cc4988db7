import Entities
import StoreParts

/// Writes the items of a group, one statement for each kind of write.
final class GroupCommit {
    /// What became of an item.
    enum Outcome {
        case answered(CommitResult)
        /// Another transaction holds the row, and nothing was written.
        case held
        case failed(PostgresFailure)
    }

    /// An item with its outcome.
    typealias Result = (item: Group.Item, outcome: Outcome)

    /// An item with the columns of its row.
    private struct Row {
        let item: Group.Item
        let state: StoredEntity
        let parts: [UInt8]
        let ring: [UInt8]
    }

    /// How many bytes of rows go into one statement; each is in memory several times.
    static let bytesAtOnce = 16 << 20

    private let statements: CommitStatements
    private let settings: PostgresStore.Settings
    private var link: Link
    /// Set by a statement without an answer: the next one would wait as long.
    private var isStuck = false
    /// Names the row that ``probe()`` writes.
    private let probeDigest = (0..<16).map { _ in UInt8.random(in: .min ... .max) }

    init(_ common: Common) {
        (statements, settings, link) = (CommitStatements(common.schema), common.settings, common.link())
    }

    /// Writes items of different entities.
    ///
    /// - Parameter settled: gets the outcomes after each statement.
    func write(_ items: [Group.Item], _ settled: ([Result]) -> Void) {
        isStuck = false
        var creations: [Row] = []
        var changes: [Row] = []
        var ends: [Group.Item] = []
        for item in items {
            guard let last = item.last else {
                ends.append(item)
                continue
            }
            do throws(RowForm.TooLarge) {
                let state = last.row
                let (parts, ring) = try RowForm.encode(state)
                let row = Row(item: item, state: state, parts: parts, ring: ring)
                if item.base == nil { creations.append(row) } else { changes.append(row) }
            } catch {
                settings.tell(.tooLarge(item.id, bytes: error.bytes))
                settled([(item, .answered(.refused))])
            }
        }
        if !creations.isEmpty { write(creations, isCreation: true, settled) }
        if !changes.isEmpty { write(changes, isCreation: false, settled) }
        if !ends.isEmpty { end(ends, settled) }
    }

    /// Writes rows, in as many statements as their bytes need.
    private func write(_ rows: [Row], isCreation: Bool, _ settled: ([Result]) -> Void) {
        var start = 0
        while start < rows.count {
            var (end, bytes) = (start, 0)
            repeat {
                bytes += rows[end].parts.count
                end += 1
            } while end < rows.count && bytes + rows[end].parts.count <= Self.bytesAtOnce
            writeAtOnce(rows[start..<end], isCreation: isCreation, settled)
            start = end
        }
    }

    private func writeAtOnce(_ rows: ArraySlice<Row>, isCreation: Bool, _ settled: ([Result]) -> Void) {
        let keys = rows.flatMap { row in row.item.keys.map { (id: row.item.id.text, key: $0) } }
        var parameters = Parameters()
        parameters.add(texts: rows.map(\.item.id.text))
        parameters.add(texts: rows.map(\.item.id.kind))
        parameters.add(numbers: rows.map { Int64(bitPattern: $0.state.head.seq) })
        parameters.add(numbers: rows.map { Int64(bitPattern: $0.state.head.nonce) })
        parameters.add(bytes: rows.map(\.ring))
        parameters.add(texts: rows.map(\.state.language))
        parameters.add(bytes: rows.map(\.parts))
        if !isCreation { parameters.add(numbers: rows.map { $0.item.base.map { Int64(bitPattern: $0.nonce) } }) }
        if !keys.isEmpty { parameters.add(keys) }
        let texts = isCreation ? statements.create : statements.change
        let outcomes = run(keys.isEmpty ? texts.plain : texts.keyed, parameters, absent: .conflict)
        if case .failure(let failure) = outcomes, failure.isOfRow, rows.count > 1 {
            // One bad row must not fail the others.
            for place in rows.indices { writeAtOnce(rows[place...place], isCreation: isCreation, settled) }
            return
        }
        settled(rows.map { ($0.item, outcomes.outcome(of: $0.item.id)) })
    }

    private func end(_ items: [Group.Item], _ settled: ([Result]) -> Void) {
        var parameters = Parameters()
        parameters.add(texts: items.map(\.id.text))
        // An entity that does not exist has ended.
        let outcomes = run(statements.end, parameters, absent: .stored)
        settled(items.map { ($0, outcomes.outcome(of: $0.id)) })
    }

    /// Makes a commit that changes no entity.
    ///
    /// - Returns: why it failed; nil where it did not.
    func probe() -> PostgresFailure? {
        var parameters = Parameters()
        parameters.add(bytes: [probeDigest])
        do throws(PostgresFailure) {
            _ = try link.run(statements.probe, parameters, within: settings.commitTimeout)
            return nil
        } catch {
            return error
        }
    }

    private enum Outcomes {
        /// The rows `(id, written)` of a statement, and the result of an entity without a row.
        case rows([String: Bool], absent: CommitResult)
        case failure(PostgresFailure)

        func outcome(of id: EntityID) -> Outcome {
            switch self {
            case .rows(let rows, let absent): rows[id.text].map { $0 ? .answered(.stored) : .held } ?? .answered(absent)
            case .failure(let failure): failure.isCollision ? .held : .failed(failure)
            }
        }
    }

    private func run(_ statement: String, _ parameters: Parameters, absent: CommitResult) -> Outcomes {
        guard !isStuck else { return .failure(PostgresFailure(.notConnected, message: "the database does not answer")) }
        do throws(PostgresFailure) {
            let answer = try link.run(statement, parameters, within: settings.commitTimeout)
            var rows: [String: Bool] = [:]
            for row in 0..<answer.count { rows[answer.text(row, 0)] = answer.bool(row, 1) }
            return .rows(rows, absent: absent)
        } catch {
            isStuck = error.kind == .timedOut
            return .failure(error)
        }
    }
}

extension Parameters {
    /// Adds the seven arrays of keys.
    fileprivate mutating func add(_ keys: [(id: String, key: StoredKey)]) {
        add(texts: keys.map(\.id))
        add(bytes: keys.map(\.key.digest.bytes))
        add(bytes: keys.map(\.key.request))
        add(numbers: keys.map { Int64($0.key.remembered.status) })
        add(bytes: keys.map(\.key.remembered.body))
        add(texts: keys.map(\.key.remembered.etag))
        add(doubles: keys.map { $0.key.window / .seconds(1) })
    }
}
