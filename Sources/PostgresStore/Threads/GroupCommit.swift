import Entities
import StoreParts

/// The writes of one entity in a group.
struct Attempt {
    let item: Group.Item
    /// When the writes are given up if another replica holds the row.
    let deadline: ContinuousClock.Instant
}

/// Writes the items of a group, one statement for each kind of write.
final class GroupCommit {
    /// The result of an attempt; nil if another transaction holds the row, and nothing was written.
    typealias Result = (attempt: Attempt, result: CommitResult?)

    /// An attempt with the columns of its row.
    private struct Row {
        let attempt: Attempt
        let state: StoredEntity
        let parts: [UInt8]
        let ring: [UInt8]
    }

    /// How many bytes of rows go into one statement; each is in memory several times.
    static let bytesAtOnce = 16 << 20

    /// Why a statement of the last group failed; nil where none did.
    private(set) var failure: PostgresFailure?
    private let statements: CommitStatements
    private let settings: PostgresStore.Settings
    private var link: Link
    /// Names the row that ``probe()`` writes.
    private let probeDigest = (0..<16).map { _ in UInt8.random(in: .min ... .max) }

    init(_ common: Common) {
        (statements, settings, link) = (CommitStatements(common.schema), common.settings, common.link())
    }

    /// Writes items of different entities.
    ///
    /// - Parameter settled: gets the results after each statement.
    func write(_ attempts: [Attempt], _ settled: ([Result]) -> Void) {
        failure = nil
        var creations: [Row] = []
        var changes: [Row] = []
        var ends: [Attempt] = []
        for attempt in attempts {
            guard let last = attempt.item.last else {
                ends.append(attempt)
                continue
            }
            let state = last.row
            let (parts, ring) = RowForm.encode(state)
            let row = Row(attempt: attempt, state: state, parts: parts, ring: ring)
            if attempt.item.base == nil { creations.append(row) } else { changes.append(row) }
        }
        write(creations, isCreation: true, settled)
        write(changes, isCreation: false, settled)
        guard !ends.isEmpty else { return }
        var parameters = Parameters()
        parameters.add(texts: ends.map(\.item.id.text))
        parameters.add(numbers: ends.map { $0.item.base.map { Int64(bitPattern: $0.nonce) } })
        run(statements.end, parameters, ends, settled)
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
        let items = rows.map(\.attempt.item)
        let keys = items.flatMap { item in item.keys.map { (id: item.id.text, key: $0) } }
        var parameters = Parameters()
        parameters.add(texts: items.map(\.id.text))
        parameters.add(texts: items.map(\.id.kind))
        parameters.add(numbers: rows.map { Int64(bitPattern: $0.state.head.seq) })
        parameters.add(numbers: rows.map { Int64(bitPattern: $0.state.head.nonce) })
        parameters.add(bytes: rows.map(\.ring))
        parameters.add(texts: rows.map(\.state.language))
        parameters.add(bytes: rows.map(\.parts))
        parameters.add(doubles: rows.map { $0.state.due.map { Double($0) / 1_000 } })
        if isCreation {
            parameters.add(texts: rows.map(\.state.owner))
        } else {
            parameters.add(numbers: items.map { $0.base.map { Int64(bitPattern: $0.nonce) } })
        }
        if !keys.isEmpty { parameters.add(keys) }
        let texts = isCreation ? statements.create : statements.change
        run(keys.isEmpty ? texts.plain : texts.keyed, parameters, rows.map(\.attempt), settled)
    }

    /// Runs a statement that returns rows `(id, written)`, none where the comparison failed.
    private func run(
        _ statement: String, _ parameters: Parameters, _ attempts: [Attempt], _ settled: ([Result]) -> Void
    ) {
        // After a statement without an answer, the next one would wait as long.
        guard failure?.kind != .timedOut else { return settled(attempts.map { ($0, .refused) }) }
        do throws(PostgresFailure) {
            let answer = try link.run(statement, parameters, within: settings.commitTimeout)
            var rows: [String: Bool] = [:]
            for row in 0..<answer.count { rows[answer.text(row, 0)] = answer.bool(row, 1) }
            settled(attempts.map { ($0, rows[$0.item.id.text].map { $0 ? .stored : nil } ?? $0.item.absent) })
        } catch {
            if !error.isCollision { failure = error }
            settled(attempts.map { ($0, error.isCollision ? nil : error.commitResult) })
        }
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
}

extension Group.Item {
    /// The result where the comparison failed; an end that compares nothing finds its entity gone.
    fileprivate var absent: CommitResult { last == nil && base == nil ? .stored : .conflict }
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
