import ViewModels

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
