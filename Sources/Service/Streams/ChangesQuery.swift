import Entities
import HTTP

/// A request's question to the change feed.
struct ChangesQuery: Sendable {
    let question: FeedQuestion
    let position: FeedPosition
    /// How long to wait, before the random part is taken off.
    let wait: Duration
    /// Whether the answer is an event stream.
    let isStream: Bool

    private typealias Query = [(name: String, value: String)]
    private static let names = ["since", "wait", "topics", "values"]

    /// Reads a request.
    ///
    /// - Parameters:
    ///   - entity: the name of a named entity, which is that of its view model in the feed.
    ///   - sight: what the caller may see of it.
    /// - Throws: ``Problem``, 400, for a malformed, doubled or unknown member.
    init(_ request: Request, declarations: [PartDeclaration], entity: String?, sight: Sight) throws {
        guard let query = request.query else {
            throw Self.malformed(
                "The query is not percent-encoded UTF-8: write each % as %25 and check the digits after it.")
        }
        for (name, _) in query where !(Self.names + ["lastEventId", "_"]).contains(name) {
            throw Self.malformed("This path takes \(Self.names.joined(separator: ", ")).")
        }
        position = try Self.position(request, query, sight)
        let topics = query.filter { $0.name == "topics" }.map(\.value)
        let names = topics.flatMap { list in
            list.utf8.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false)
                .map { String(Substring($0).trimmed) }
        }
        let values = try Self.single("values", in: query) ?? "all"
        guard values == "all" || values == "none" else { throw Self.malformed("values is all or none.") }
        let question = FeedQuestion(
            topics: topics.isEmpty ? nil : names, hasValues: values == "all", declarations: declarations,
            entity: entity, sight: sight)
        guard let question else {
            throw Self.malformed("topics is a list of view models and facets of this feed. GET / names them.")
        }
        self.question = question
        let text = try Self.single("wait", in: query) ?? "25"
        // A generated client may write an exponent.
        guard let seconds = Double(text), seconds >= 0 else {
            throw Self.malformed("wait is a number of seconds, 0 or more.")
        }
        // Nobody waits for a head.
        wait = request.method == .head ? .zero : .seconds(min(seconds, 55))
        isStream = request.prefers("text/event-stream", to: "application/json")
    }

    /// Reads a cursor, or an ETag as it stands.
    private static func position(_ request: Request, _ query: Query, _ sight: Sight) throws -> FeedPosition {
        // Last-Event-ID is of the latest event, while the URL of a reconnect still has the first cursor.
        let field = try request.single(.lastEventID)
        let text = try field ?? single("lastEventId", in: query) ?? single("since", in: query)
        guard var cursor = text?.utf8[...] else { return .start }
        if cursor.starts(with: "W/\"".utf8) { cursor = cursor.dropFirst(2) }
        let quote = UInt8(ascii: "\"")
        if cursor.count >= 2, cursor.first == quote, cursor.last == quote { cursor = cursor.dropFirst().dropLast() }
        let isSound = cursor.allSatisfy { $0.isLetter || $0.isDigit || "._~-".utf8.contains($0) }
        guard isSound, (1...256).contains(cursor.count) else {
            throw (field == nil ? ProblemType.malformedQuery : .malformedHeader).problem(
                "Send a cursor as an answer gave it in cursor, id or ETag. Leave it out to begin with everything.")
        }
        return .cursor(Stamp(String(Substring(cursor))).map(sight.mix))
    }

    private static func single(_ name: String, in query: Query) throws(Problem) -> String? {
        let members = query.filter { $0.name == name }
        guard members.count < 2 else { throw malformed("Send \(name) once.") }
        return members.first?.value
    }

    private static func malformed(_ detail: String) -> Problem { ProblemType.malformedQuery.problem(detail) }
}
