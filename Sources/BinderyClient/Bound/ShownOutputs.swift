import ViewModels

/// What is shown of a session: the latest text of each output, whatever brought it.
///
/// Changes and the answers to actions come on connections of their own, so in any order: of each output the larger seq is
/// kept. Seqs are compared within one history; which that is, what came on the line of changes says, and nothing else. Where that goes
/// on in another history, it speaks of what it had told before: of what only an answer said, nobody knows whether it was kept.
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
    /// What the line of changes said last of the outputs of which an answer says something newer.
    private var overtaken: [Place: Entry] = [:]
    /// The outputs of which an answer from before the line was lost says something newer: the server may have lost it.
    private var doubtful: Set<Place> = []
    /// Counts what was taken.
    private(set) var version = 0

    /// The text of an output; nil for one that is not shown.
    subscript(place: Place) -> RawJSON? { entries[place]?.text }

    /// Takes what came on the line of changes.
    ///
    /// - Returns: the outputs that have another value than before, in the order of seq, those that were taken back last.
    mutating func take(_ update: RemoteUpdate) -> [Place] {
        version += 1
        var isVoid = false
        if case .snapshot(let reason) = update.kind { isVoid = reason != "initial" || epoch != update.cursor.epoch }
        let lost = isVoid ? [] : lost(at: update.cursor)
        var places = update.changes.map(\.place)
        places += lost.filter { !places.contains($0) }
        let old = places.map { entries[$0]?.text }
        // What was known before is void, a larger seq, too.
        if isVoid { (entries, overtaken) = ([:], [:]) }
        for place in lost { entries[place] = overtaken.removeValue(forKey: place) }
        (epoch, doubtful) = (update.cursor.epoch, [])
        for change in update.changes { hear(change) }
        return zip(places, old).filter { place, text in entries[place]?.text != text }.map(\.0)
    }

    /// The outputs whose newer values the server has not: of another history nobody knows, and within one a server that was asked
    /// after an answer is at least as far as that was.
    private func lost(at cursor: RemoteCursor) -> [Place] {
        guard cursor.epoch == epoch else { return Array(overtaken.keys) }
        return doubtful.filter { place in (entries[place]?.seq ?? 0) > (cursor.seq ?? .max) }
    }

    /// The line was lost: what comes next on it tells what the server has.
    mutating func lose() { doubtful = Set(overtaken.keys) }

    private mutating func hear(_ change: RemoteChange) {
        let told = Entry(seq: change.seq, text: change.raw)
        let isOvertaken = (entries[change.place]?.seq ?? 0) > told.seq
        overtaken[change.place] = isOvertaken ? told : nil
        if !isOvertaken { entries[change.place] = told }
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
            guard let text = outputs[place.output], let entry = entries[place], entry.seq < seq else { return false }
            overtaken[place] = overtaken[place] ?? entry
            entries[place] = Entry(seq: seq, text: text)
            return text != entry.text
        }
    }
}

extension RemoteChange {
    var place: ShownOutputs.Place { ShownOutputs.Place(viewModel: viewModel, output: output) }
}
