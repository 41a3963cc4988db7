import Sessions
import TestSupport
import ViewModels

/// An answer of the feed as a client reads it.
struct Said: Decodable, Equatable {
    struct Change: Decodable, Equatable {
        let seq: UInt64
        let viewModel: String
        let output: String
        let value: JSONValue?

        /// As in `43 counter.text`.
        var place: String { "\(seq) \(viewModel).\(output)" }
    }

    let kind: String
    let reason: String?
    let cursor: String
    let changes: [Change]
    let superseded: Bool?
    let retryAfter: Int?

    init(_ answer: FeedAnswer) throws { self = try JSON.decode(Said.self, from: answer.json) }

    init(json: String) throws { self = try JSON.decode(Said.self, from: Array(json.utf8)) }

    var places: [String] { changes.map(\.place) }
}

/// A client that applies what it is told.
struct Client {
    private(set) var cursor: Cursor?
    private(set) var state: [String: JSONValue] = [:]

    mutating func apply(_ answer: FeedAnswer) throws {
        for change in try Said(answer).changes { state["\(change.viewModel).\(change.output)"] = change.value }
        cursor = answer.cursor
    }
}
