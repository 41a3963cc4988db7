import ViewModels

/// What is shown of a session: the latest text of each output, whatever brought it.
///
/// Changes and the answers to actions come on connections of their own, so in any order: of each output the larger seq is
/// kept. Seqs are compared within one history; which that is, what came on the line of changes says, and nothing else.
struct ShownOutputs: Sendable {
    /// Which output of which view model.
    struct Place: Hashable, Sendable {
        let viewModel: String
        let output: String
    }

    private struct Entry: Sendable {
        var seq: UInt64
        var text: RawJSON
    }

    private var epoch: Substring = ""
    private var entries: [Place: Entry] = [:]
    /// Counts what was taken.
    private(set) var version = 0

    /// The text of an output; nil for one that is not shown.
    subscript(place: Place) -> RawJSON? { entries[place]?.text }

    /// Takes what came on the line of changes.
    ///
    /// - Returns: the outputs that have another value than before, in the order of seq.
    mutating func take(_ update: RemoteUpdate) -> [Place] {
        version += 1
        if case .snapshot(let reason) = update.kind, reason != "initial" || epoch != update.cursor.epoch {
            // What was known before is void, a larger seq, too.
            let old = entries
            entries = [:]
            for change in update.changes { entries[change.place] = Entry(seq: change.seq, text: change.raw) }
            epoch = update.cursor.epoch
            return update.changes.map(\.place).filter { old[$0]?.text != entries[$0]?.text }
        }
        epoch = update.cursor.epoch
        return update.changes.filter { set($0.place, $0.raw, $0.seq) }.map(\.place)
    }

    /// Takes the answer to an action: all outputs of a view model, the latest as of its cursor.
    ///
    /// One of another history is passed over: the line of changes will say which holds.
    ///
    /// - Returns: the outputs that have another value than before.
    mutating func take(_ outputs: [String: RawJSON], of viewModel: String, at cursor: RemoteCursor) -> [Place] {
        version += 1
        guard cursor.epoch == epoch, let seq = cursor.seq else { return [] }
        return outputs.keys.sorted().map { Place(viewModel: viewModel, output: $0) }.filter { place in
            // What is in no topic is nobody's here.
            guard let text = outputs[place.output], entries[place] != nil else { return false }
            return set(place, text, seq)
        }
    }

    /// - Returns: whether the output has another value now.
    private mutating func set(_ place: Place, _ text: RawJSON, _ seq: UInt64) -> Bool {
        if let entry = entries[place] {
            guard seq > entry.seq else { return false }
            entries[place] = Entry(seq: seq, text: text)
            return entry.text != text
        }
        entries[place] = Entry(seq: seq, text: text)
        return true
    }
}

extension RemoteChange {
    var place: ShownOutputs.Place { ShownOutputs.Place(viewModel: viewModel, output: output) }
}
