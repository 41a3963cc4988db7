import HTTP
import Sessions
import ViewModels

/// What a request to `/changes` asks for.
struct ChangesQuery {
    var feed: FeedQuery
    /// How long to wait, before any of it is taken off at random.
    let wait: Duration
    /// Whether the answer is to be an event stream.
    let isStream: Bool

    /// Reads a request.
    ///
    /// - Throws: ``Problem``, 400, for a malformed or doubled parameter or `Last-Event-ID`.
    init(_ request: Request, catalogue: Catalogue, options: ServiceOptions) throws {
        let query = try request.query()
        try query.check(known: ["since", "wait", "topics", "values"])
        let since = try query.single("since")
        // Some generated clients repeat the name where others send a list.
        let lists = query.values(of: "topics")
        let topics = lists.isEmpty ? nil : lists.joined(separator: ",")
        let values = try query.single("values")
        isStream =
            request.header(.accept).map { WeightedList($0).prefers("text/event-stream", to: "application/json") }
            ?? false
        let lastEventID = try request.single(.lastEventID, "Last-Event-ID")
        feed = FeedQuery(
            since: try lastEventID.map { try Self.cursor($0, in: "Last-Event-ID", ProblemType.malformedHeader) }
                ?? since.map { try Self.cursor($0, in: "since", ProblemType.malformedQuery) },
            topics: try topics.map { try Self.topics($0, of: catalogue) },
            includesValues: try Self.includesValues(values))
        let wait = try Self.wait(query.single("wait"), options: options)
        // Nobody waits for a head.
        self.wait = request.method == .head ? .zero : wait
    }

    /// Takes an ETag as it stands too, quotes and all: so can a link of the OpenAPI description, which cannot cut.
    private static func cursor(_ text: String, in name: String, _ problem: ProblemType) throws -> Cursor {
        let quote = UInt8(ascii: "\"")
        var bytes = text.utf8[...]
        if bytes.count >= 2, bytes.first == quote, bytes.last == quote { bytes = bytes.dropFirst().dropLast() }
        // What is not ASCII is read by whole characters, at five times the cost, and is no cursor anyway.
        guard bytes.allSatisfy({ $0 < 0x80 }), let cursor = Cursor(Substring(bytes)) else {
            throw problem.problem(
                "\(name) is a cursor, EPOCH.SEQ, as an answer gave it in cursor or, in quotes, as its ETag; leave it out "
                    + "to begin with everything.")
        }
        return cursor
    }

    private static func wait(_ text: String?, options: ServiceOptions) throws -> Duration {
        guard let text else { return min(options.defaultWait, options.longestWait) }
        let isNumber = text.utf8.allSatisfy { (0x30...0x39).contains($0) || "+-.eE".utf8.contains($0) }
        guard isNumber, let seconds = Double(text), seconds >= 0 else {
            throw malformed("wait is a number of seconds, 0 or more.")
        }
        return seconds < options.longestWait / .seconds(1) ? .seconds(seconds) : options.longestWait
    }

    private static func topics(_ text: String, of catalogue: Catalogue) throws -> OutputSet {
        var outputs = OutputSet()
        let topics = text.utf8.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false).map { item in
            item.drop { $0 == UInt8(ascii: " ") }
        }
        for (place, topic) in topics.enumerated() {
            guard let members = catalogue.outputs(of: Substring(topic)) else {
                throw malformed(advice(on: place, among: topics, of: catalogue))
            }
            members.forEach { outputs.insert($0) }
        }
        return outputs
    }

    /// Says which one it is by its place: what was sent is never said back.
    private static func advice(on place: Int, among topics: [Substring.UTF8View], of catalogue: Catalogue) -> String {
        let unknown = topics.count > 1 ? "Topic \(place + 1) of the \(topics.count) is unknown here. " : ""
        let topic = String(Substring(topics[place]))
        let nearest = Nearest.name(to: topic, among: catalogue.topics).map { "Did you mean \($0)? " } ?? ""
        let example = catalogue.viewModels.prefix(2).map(\.name.rawValue).joined(separator: ",")
        return unknown + nearest
            + "topics is a list of view models and facets, like \(example); see GET / for the names."
    }

    private static func includesValues(_ text: String?) throws -> Bool {
        switch text {
        case nil, "all": true
        case "none": false
        default: throw malformed("values is all or none.")
        }
    }

    private static func malformed(_ detail: String) -> Problem { ProblemType.malformedQuery.problem(detail) }
}

extension Catalogue {
    /// The names that a topic may have.
    var topics: [String] {
        viewModels.flatMap { viewModel in
            [viewModel.name.rawValue] + viewModel.facets.map { "\(viewModel.name)/\($0.name)" }
        }
    }

    /// The outputs a topic names, counted through all view models; nil for a topic that is not there.
    fileprivate func outputs(of topic: Substring) -> [Int]? {
        // Nothing here has a name beyond ASCII, which is what costs time to look up.
        guard topic.utf8.allSatisfy({ $0 < 0x80 }) else { return nil }
        let parts = topic.split(separator: "/", omittingEmptySubsequences: false)
        guard let name = parts.first, parts.count <= 2, let place = place(of: name) else { return nil }
        let viewModel = viewModels[place]
        guard parts.count == 2 else { return viewModel.outputs.indices.map { firstOutputs[place] + $0 } }
        let facet = viewModel.facets.first { $0.name.rawValue == parts[1] }
        return facet?.outputs.map { firstOutputs[place] + $0 }
    }
}
