import Entities
import StoreParts

/// Writes the items of a group, one statement for each kind of write.
final class GroupCommit {
    /// The result of an item; nil if another transaction holds the row, and nothing was written.
    typealias Result = (item: Group.Item, result: CommitResult?)

    /// An item with the columns of its row.
    private struct Row {
        let item: Group.Item
        let state: StoredEntity
        let parts: [UInt8]
        let ring: [UInt8]

        init(_ item: Group.Item) {
            (self.item, state) = (item, item.last.row)
            (parts, ring) = RowForm.encode(state)
        }
    }

    /// How many bytes of rows go into one statement; each is in memory several times.
    static let bytesAtOnce = 16 << 20

    /// The failure of a statement of the last group; nil if all succeeded.
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
    func write(_ items: [Group.Item], _ settled: ([Result]) -> Void) {
        failure = nil
        let rows = items.filter { !$0.last.isEnd }.map(Row.init)
        write(rows.filter { $0.item.base == nil }, isCreation: true, settled)
        write(rows.filter { $0.item.base != nil }, isCreation: false, settled)
        let ends = items.filter(\.last.isEnd)
        guard !ends.isEmpty else { return }
        run(statements.end, ends, settled) { parameters in
            parameters.add(texts: ends.map(\.id.text))
            parameters.add(bases: ends)
        }
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
        let items = rows.map(\.item)
        let keys = items.flatMap { item in item.writes.compactMap(\.commit.key).map { (id: item.id.text, key: $0) } }
        let texts = isCreation ? statements.create : statements.change
        run(keys.isEmpty ? texts.plain : texts.keyed, items, settled) { parameters in
            parameters.add(texts: items.map(\.id.text))
            parameters.add(texts: items.map(\.id.kind))
            parameters.add(numbers: rows.map { Int64(bitPattern: $0.state.head.seq) })
            parameters.add(numbers: rows.map { Int64(bitPattern: $0.state.head.nonce) })
            parameters.add(bytes: rows.map(\.ring))
            parameters.add(texts: rows.map(\.state.language))
            parameters.add(bytes: rows.map(\.parts))
            parameters.add(doubles: rows.map { $0.state.due.map { Double($0) / 1_000 } })
            if isCreation { parameters.add(texts: rows.map(\.state.owner)) } else { parameters.add(bases: items) }
            if !keys.isEmpty { parameters.add(keys) }
        }
    }

    /// Runs a statement that returns rows `(id, written)`, none if the comparison failed.
    private func run(
        _ statement: String, _ items: [Group.Item], _ settled: ([Result]) -> Void, _ fill: (inout Parameters) -> Void
    ) {
        // If one statement had no answer in time, the next one would wait as long.
        guard failure?.kind != .timedOut else { return settled(items.map { ($0, .refused) }) }
        do throws(PostgresFailure) {
            let answer = try link.run(statement, within: settings.commitTimeout, fill)
            var rows: [String: Bool] = [:]
            for row in 0..<answer.count { rows[answer.text(row, 0)] = answer.bool(row, 1) }
            settled(items.map { ($0, rows[$0.id.text].map { $0 ? .stored : nil } ?? .conflict) })
        } catch {
            if !error.isCollision { failure = error }
            settled(items.map { ($0, error.isCollision ? nil : error.commitResult) })
        }
    }

    /// Makes a commit that changes no entity.
    ///
    /// - Returns: the failure; nil if it succeeded.
    func probe() -> PostgresFailure? {
        do throws(PostgresFailure) {
            _ = try link.run(statements.probe, within: settings.commitTimeout) { $0.add(bytes: [probeDigest]) }
            return nil
        } catch {
            return error
        }
    }
}

extension Parameters {
    /// Adds the nonces that the rows must have.
    fileprivate mutating func add(bases items: [Group.Item]) {
        add(numbers: items.map { $0.base.map { Int64(bitPattern: $0.nonce) } })
    }

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
