import Entities
import HTTP
import Locking
import ViewModels

extension Service {
    /// `GET /changes`, as a poll or as an event stream; both wait on the session or on a named entity.
    ///
    /// - Parameter viewModel: the view model of a named entity; nil for the session.
    func changesRoute(at path: String, of viewModel: ViewModelDescription?) -> Route {
        entityRoute(.get, path, of: viewModel) { [self] exchange in
            let entity = try exchange.entity
            let id = entity.id
            let (state, isEnded) = entity.published
            if isEnded { throw (id.isNamed ? ProblemType.entityUnknown : .sessionUnknown).problem() }
            let query = try ChangesQuery(
                exchange.request, declarations: environment.kinds[id].host.declarations,
                entity: id.isNamed ? id.text : nil, sight: try exchange.sightOf(state))
            try (query.isStream ? stream : poll)(query, entity, exchange)
        }
    }

    private func poll(_ query: ChangesQuery, _ entity: Entity, for exchange: Exchange) throws(Problem) {
        let wait = isDraining ? .zero : query.wait * Double.random(in: 0.9...1)
        var permit: Permit?
        if wait > .zero, exchange.token != nil {
            permit = openPolls.take(for: exchange.session.id.text, atMost: limits.pollsPerSession)
            if permit == nil { throw ProblemType.tooManyPolls.problem(retryAfter: 1) }
        }
        let (question, position) = (query.question, query.position)
        let watch = watchSession(of: exchange) { exchange.responder.send(ProblemType.sessionEnded.problem()) }
        let id = entity.wait(question, since: position, for: wait) { [self, permit] result in
            withExtendedLifetime((permit, watch)) { answer(result, question, to: exchange) }
        }
        // A client that closed only its sending side still reads the answer, so send one.
        exchange.responder.onHangUp { [self] _ in
            entity.cancelWait(id)
            entity.wait(question, since: position, for: .zero) { [self] in answer($0, question, to: exchange) }
        }
    }

    /// Watches the session of a caller that waits on a named entity, while the permit exists.
    ///
    /// - Parameter ended: the watch calls it when the session has ended.
    private func watchSession(of exchange: Exchange, ended: @escaping @Sendable () -> Void) -> Permit? {
        guard exchange.named != nil, exchange.token != nil else { return nil }
        let session = exchange.session
        let id = session.wait(
            .end, since: session.published.state.idleAnswer().position, for: ChangeStream.longestLife
        ) { result in
            if case .success(let answer) = result, answer.kind == .ended { ended() }
        }
        return Permit { session.cancelWait(id) }
    }

    private func answer(_ result: Waits.Answer, _ question: FeedQuestion, to exchange: Exchange) {
        exchange.responder.answering {
            var answer = try Self.feedAnswer(result, to: exchange)
            // If the caller's sight has changed, answer without changes. The new sight does not know this cursor, so
            // the next poll gets a snapshot.
            let isSame = try answer.kind == .ended || exchange.sightOf(answer.state) == question.sight
            if !isSame || answer.kind == .idle && isDraining {
                answer = answer.state.idleAnswer(question, retryAfter: isDraining ? .random(in: 1...5) : nil)
            }
            let body = polls.body(answer.body) { SharedBody(answer.body, headers: [.json, .noStore]) }
            exchange.responder.send(Response(body: .shared(body)))
        }
    }

    /// The answer of a wait; it throws ``Problem``, 401, if the wait was on the caller's session, which has ended.
    private static func feedAnswer(_ result: Waits.Answer, to exchange: Exchange) throws -> FeedAnswer {
        let answer = try result.get()
        if answer.kind == .ended, exchange.named == nil { throw ProblemType.sessionEnded.problem() }
        return answer
    }

    private func stream(_ query: ChangesQuery, _ entity: Entity, to exchange: Exchange) throws(Problem) {
        let request = exchange.request
        let client = exchange.token == nil ? "\(request.client.network)" : exchange.session.id.text
        let limit = exchange.token == nil && request.isLocal ? .max : limits.streamsPerSession
        guard let permit = openStreams.take(for: client, atMost: limit) else {
            throw ProblemType.tooManyStreams.problem(retryAfter: 10)
        }
        entity.wait(query.question, since: query.position, for: .zero) { [self] result in
            exchange.responder.answering {
                let first = try Self.feedAnswer(result, to: exchange)
                guard let events = exchange.responder.stream() else { return }
                let stream = ChangeStream(events, of: entity, query.question, exchange.sightOf, in: self)
                let watch = watchSession(of: exchange) { [weak stream] in stream?.sessionEnded() }
                exchange.responder.onHangUp { _ in withExtendedLifetime((permit, watch)) { stream.end() } }
                // Send the first event at once, even a ping: it tells the client that the stream is open.
                stream.send(first, retry: 2000)
            }
        }
    }
}

/// The query of `GET /changes`.
private struct ChangesQuery: Sendable {
    let question: FeedQuestion
    let position: FeedPosition
    /// How long to wait; a poll subtracts a random part.
    let wait: Duration
    /// Whether the answer is an event stream.
    let isStream: Bool

    private typealias Query = [(name: String, value: String)]
    private static let names = ["since", "wait", "topics", "values"]

    /// Reads a request.
    ///
    /// - Parameters:
    ///   - entity: the name of a named entity, which also names its view model in the feed; nil for a session.
    ///   - sight: the caller's sight of the entity.
    /// - Throws: ``Problem``, 400, for a malformed, repeated or unknown parameter.
    init(_ request: Request, declarations: [PartDeclaration], entity: String?, sight: Sight) throws {
        guard let query = request.query else {
            throw Self.malformed(
                "The query is not percent-encoded UTF-8. Write a literal % as %25. Put two hex digits after each %.")
        }
        for (name, _) in query where !(Self.names + ["lastEventId", "_"]).contains(name) {
            throw Self.malformed("The parameters are \(Self.names.joined(separator: ", ")).")
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
        // A generated client may send an exponent.
        guard let seconds = Double(text), seconds >= 0 else {
            throw Self.malformed("wait is a number of seconds, 0 or more.")
        }
        // HEAD does not wait.
        wait = request.method == .head ? .zero : .seconds(min(seconds, 55))
        isStream = request.prefers("text/event-stream", to: "application/json")
    }

    /// Reads a cursor or an ETag.
    private static func position(_ request: Request, _ query: Query, _ sight: Sight) throws -> FeedPosition {
        // Last-Event-ID has the latest cursor. The URL of a reconnect still has the first one.
        let field = try request.single(.lastEventID)
        let text = try field ?? single("lastEventId", in: query) ?? single("since", in: query)
        guard var cursor = text?.utf8[...] else { return .start }
        if cursor.starts(with: "W/\"".utf8) { cursor = cursor.dropFirst(2) }
        let quote = UInt8(ascii: "\"")
        if cursor.count >= 2, cursor.first == quote, cursor.last == quote { cursor = cursor.dropFirst().dropLast() }
        let isSound = cursor.allSatisfy { $0.isLetter || $0.isDigit || "._~-".utf8.contains($0) }
        guard isSound, (1...256).contains(cursor.count) else {
            throw (field == nil ? ProblemType.malformedQuery : .malformedHeader).problem(
                "Send a cursor from the cursor, id or ETag of an answer. Without a cursor, the answer is a snapshot.")
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

/// Counts the open polls or streams of each client.
final class Allowance: Sendable {
    /// The number of open ones, by the client's session or network.
    private let open = Lock<[String: Int]>([:])

    /// The number of open polls or streams.
    var count: Int { open.withLock { $0.values.reduce(0, +) } }

    /// Counts one more; nil at the limit.
    func take(for client: String, atMost limit: Int) -> Permit? {
        let isFree = open.withLock { open in
            let isFree = open[client, default: 0] < limit
            if isFree { open[client, default: 0] += 1 }
            return isFree
        }
        guard isFree else { return nil }
        return Permit { [self] in
            open.withLock { open in
                let rest = open[client, default: 0] - 1
                open[client] = rest > 0 ? rest : nil
            }
        }
    }
}

/// Calls a closure when its last holder is gone: frees the place of a poll or stream, or ends a watch.
final class Permit: Sendable {
    private let giveBack: @Sendable () -> Void

    init(giveBack: @escaping @Sendable () -> Void) { self.giveBack = giveBack }

    deinit { giveBack() }
}
