/// An answer of the change feed: the body of a poll, or the data of a stream's event.
package struct FeedAnswer: Sendable {
    /// The kinds of answers; the raw value is the text on the wire.
    package enum Kind: String, Sendable {
        /// The changes after the client's cursor.
        case delta
        /// All outputs. They replace everything that the client has.
        case snapshot
        /// Nothing has changed while the client waited.
        case idle
        /// The entity has ended.
        case ended
    }

    package let kind: Kind
    /// The client's next cursor.
    package let cursor: Stamp
    /// The state of the answer.
    package let state: EntityState
    /// The client's position after this answer; a stream waits from here.
    package let position: FeedPosition
    /// The JSON, on one line.
    package let body: [UInt8]
}

extension EntityState {
    /// The changes that a client at this position has missed; nil if there are none.
    ///
    /// - Throws: ``ModelUnreadable`` if the question has a part that this build cannot read.
    package func answer(
        _ question: FeedQuestion, since position: FeedPosition
    ) throws(ModelUnreadable) -> FeedAnswer? {
        try check(question)
        guard let seq = seq(at: position) else {
            return make(.snapshot, question, since: nil, reason: position == .start ? "initial" : "unknown")
        }
        return hasNews(question, since: seq) ? make(.delta, question, since: seq) : nil
    }

    /// The seq up to which the client knows everything; nil if it needs a snapshot.
    func seq(at position: FeedPosition) -> UInt64? {
        switch position {
        case .start, .cursor(nil): nil
        case .cursor(let cursor?): self.position(of: cursor)
        case .accepted(let cursor, let seq, let lineage): lineage == self.lineage ? seq : self.position(of: cursor)
        }
    }

    /// Whether an output of the question changed after this seq.
    func hasNews(_ question: FeedQuestion, since seq: UInt64) -> Bool {
        guard head.seq > seq else { return false }
        guard let topics = question.topics else { return touched.contains { $0.seqs.contains { $0 > seq } } }
        return topics.contains { topic in
            let seqs = self[topic.index].seqs
            return topic.outputs.contains { seqs[$0] > seq }
        }
    }

    /// The answer for a wait that saw no change.
    ///
    /// - Parameter retryAfter: the seconds after which the client may come back, from a server that drains.
    package func idleAnswer(_ question: FeedQuestion = .everything, retryAfter: Int? = nil) -> FeedAnswer {
        make(.idle, question, since: nil, retryAfter: retryAfter)
    }

    /// The answer after the end of the entity.
    package func endedAnswer(_ question: FeedQuestion) -> FeedAnswer { make(.ended, question, since: nil) }

    private func check(_ question: FeedQuestion) throws(ModelUnreadable) {
        let topics = question.topics?.map(\.index)
        for part in touched where part.isUnreadable && topics?.contains(part.index) ?? true {
            throw ModelUnreadable(viewModel: initial.declarations[part.index].name)
        }
    }

    private func make(
        _ kind: FeedAnswer.Kind, _ question: FeedQuestion, since seq: UInt64?, reason: String? = nil,
        retryAfter: Int? = nil
    ) -> FeedAnswer {
        var body = Array("{\"kind\":\"\(kind.rawValue)\"".utf8)
        let shown = question.sight.mix(cursor)
        body += Array(",\"cursor\":\"\(shown)\"".utf8)
        if let reason { body += Array(",\"reason\":\"\(reason)\"".utf8) }
        if let retryAfter { body += Array(",\"retryAfter\":\(retryAfter)".utf8) }
        body += Array(",\"changes\":[".utf8)
        var counts: [UInt8] = []
        if kind == .delta || kind == .snapshot {
            write(entries(question, since: seq), for: question, since: seq, &counts, to: &body)
        }
        body.append(UInt8(ascii: "]"))
        if !counts.isEmpty { body += Array(",\"rows\":{".utf8) + counts.dropLast() + Array("}".utf8) }
        body.append(UInt8(ascii: "}"))
        let position = FeedPosition.accepted(cursor, seq: head.seq, lineage: lineage)
        return FeedAnswer(kind: kind, cursor: shown, state: self, position: position, body: body)
    }

    private typealias Entry = (seq: UInt64, index: Int, output: Int)

    private func entries(_ question: FeedQuestion, since seq: UInt64?) -> [Entry] {
        var entries: [Entry] = []
        for index in initial.declarations.indices {
            let seqs = self[index].seqs
            let topic = question.topics?.first { $0.index == index }
            guard question.topics == nil || topic != nil else { continue }
            for output in topic?.outputs ?? Array(seqs.indices) where seq.map({ seqs[output] > $0 }) ?? true {
                entries.append((seqs[output], index, output))
            }
        }
        // The declared order breaks ties: the sort is stable.
        return entries.sorted { $0.seq < $1.seq }
    }

    /// Appends the entries; for a list by key only the changed rows, if the client has the others.
    ///
    /// - Parameter counts: takes the number of rows of each such list, as JSON members with commas.
    private func write(
        _ entries: [Entry], for question: FeedQuestion, since seq: UInt64?, _ counts: inout [UInt8],
        to body: inout [UInt8]
    ) {
        var isFirst = true
        func begin(_ name: String, _ output: String, _ seq: UInt64) {
            body += Array(
                "\(isFirst ? "" : ","){\"seq\":\(seq),\"viewModel\":\"\(name)\",\"output\":\"\(output)\"".utf8)
            isFirst = false
        }
        for entry in entries {
            let (declaration, state) = (initial.declarations[entry.index], self[entry.index])
            let (name, output) = (question.entity ?? declaration.name, declaration.outputs[entry.output])
            let text = state.part.outputs[entry.output]
            guard question.hasValues, let seq, let history = state.rows[entry.output], history.start <= seq,
                let rows = state.part.rows[entry.output], let key = declaration.rowKeys[entry.output]
            else {
                begin(name, output, entry.seq)
                if question.hasValues { body += Array(",\"value\":".utf8) + text }
                body.append(UInt8(ascii: "}"))
                continue
            }
            for removed in history.removed where removed.seq > seq {
                begin(name, output, entry.seq)
                body +=
                    Array(",\"by\":".utf8) + key + Array(",\"key\":".utf8) + removed.key
                    + Array(",\"removed\":true}".utf8)
            }
            for (place, row) in rows.enumerated() {
                let (changed, placed) = history.rows[place]
                guard max(changed, placed) > seq else { continue }
                begin(name, output, entry.seq)
                body +=
                    Array(",\"by\":".utf8) + key + Array(",\"key\":".utf8) + row.key + Array(",\"value\":".utf8)
                    + text[row.range]
                if placed > seq {
                    body += Array(",\"after\":".utf8) + (place == 0 ? Array("null".utf8) : rows[place - 1].key)
                }
                body.append(UInt8(ascii: "}"))
            }
            counts += Array("\"\(name).\(output)\":\(rows.count),".utf8)
        }
    }
}
