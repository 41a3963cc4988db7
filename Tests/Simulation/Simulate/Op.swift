import Sessions
import TestSupport
import ViewModels

/// An action as it is asked for.
struct ActionAsk {
    let viewModel: Int
    let action: Int
    let order: Order?
    let key: String?
    /// The state that the caller has seen and wants to act on; nil where any will do.
    let condition: Seen?

    var kind: ActionKind? { viewModel == 0 ? ActionKind(rawValue: action) : nil }
    var body: [UInt8] { order.map { Array("{\"id\":\($0.id),\"milliseconds\":\($0.milliseconds)}".utf8) } ?? [] }
}

/// What a client has seen of a view model.
struct Seen {
    let tag: String
    let json: [UInt8]
    let build: Int
}

/// What a client knows of a session: what it has put together from the feed.
struct Mirror {
    var cursor: Cursor?
    /// By the numbers of ``BuildFacts``; nil for what it was not told.
    var values: [[UInt8]?] = Array(repeating: nil, count: 4 * BuildFacts.mostOutputs)
}

/// What a client asks.
enum Ask {
    case begin
    case act(ActionAsk)
    case view(Int)
    case views
    case poll(Mirror, wait: Int)
    case listen(Mirror, wait: Int)
    case language(Language)
    case end
    case tidy
    case endExpired
    case touch
}

/// What it is answered.
enum Answer: Sendable {
    case began(SessionToken)
    case view(View)
    case views(Cursor, Language, [View])
    case feed(FeedAnswer)
    case performed(ActionResult)
    case done
}

/// The session that was asked is not there.
struct Unknown: Error {}

/// One request, from its asking to its answer.
// Safe: the simulation has one thread.
final class Op: @unchecked Sendable {
    let number: Int
    let ask: Ask
    let client: Client?
    let replica: Replica
    var session: StoredSession?
    let askedAt: Int
    /// What had happened when it was asked.
    let after: Int
    /// The commit that the answer must show, or a later one.
    var floor = 0
    /// Of all that the replica was told when it was asked.
    let failures: Int
    let conflicts: Int
    var task: Task<Void, Never>?
    var wait: SessionWait?
    var isHungUp = false
    var isOver = false
    /// Whether it was told that nothing changed.
    var wasIdle = false
    /// How many others of its session were asked and not answered, at most: each of them may come before it.
    var ahead = 0
    /// Whether it is an action whose thread came late.
    var isLate = false
    /// When sessions had last been used at its replica, of all that was answered before it was asked.
    let uses: [Int: Int]

    init(_ ask: Ask, number: Int, client: Client?, replica: Replica, session: StoredSession?) {
        self.ask = ask
        self.number = number
        self.client = client
        self.replica = replica
        self.session = session
        askedAt = replica.world.now
        after = replica.world.number
        failures = replica.link.failures
        conflicts = replica.link.conflicts
        uses = replica.uses
    }

    /// Whether it may last as long as it likes.
    var isWait: Bool {
        switch ask {
        case .poll(_, let wait), .listen(_, let wait): wait > 0
        default: false
        }
    }

    /// Whether it may hold its session up for long.
    var isSlow: Bool {
        guard case .act(let act) = ask else { return false }
        return act.kind == .hang || act.kind == .wait && act.order?.milliseconds ?? 0 > 500
    }

    /// Asks, in a task of its own; the judge is told of the answer.
    func begin() {
        let world = replica.world
        guard let registry = replica.registry else { return world.judge.lose(self) }
        if case .listen(let mirror, let wait) = ask { return listen(registry, mirror, wait) }
        task = Task { [self] in
            do {
                let answer = try await answer(of: registry)
                world.judge.close(self, .success(answer))
            } catch {
                world.judge.close(self, .failure(error))
            }
        }
    }

    func hangUp() {
        isHungUp = true
        task?.cancel()
        wait?.cancel()
    }

    /// Waits as an event stream does, without a task.
    private func listen(_ registry: SessionRegistry, _ mirror: Mirror, _ wait: Int) {
        let world = replica.world
        task = Task { [self] in
            do {
                let session = try await found(registry)
                // As the service does: what there is to say, first.
                let first = try await session.changes(query(mirror), wait: .zero, as: .stream)
                guard first.name == "idle" else { return world.judge.close(self, .success(.feed(first))) }
                self.wait = session.wait(for: query(mirror), lasting: .milliseconds(wait), as: .stream) { result in
                    world.judge.close(self, result.map { .feed($0) })
                }
            } catch {
                world.judge.close(self, .failure(error))
            }
        }
    }

    private func answer(of registry: SessionRegistry) async throws -> Answer {
        switch ask {
        case .begin:
            let languages = Languages.simulated.all
            return .began(try await registry.begin(language: languages[number % languages.count]).token)
        case .tidy:
            await registry.endExpired()
            await registry.evictIdle()
            return .done
        case .endExpired:
            await registry.endExpired()
            return .done
        case .touch:
            await registry.touchUsed()
            return .done
        default: break
        }
        // As the service does: a session that left memory this moment is found again.
        for _ in 0..<3 {
            do { return try await answer(of: registry, by: found(registry)) } catch SessionFailure.evicted { continue }
        }
        throw SessionFailure.evicted
    }

    private func found(_ registry: SessionRegistry) async throws -> Session {
        guard let token = session?.token else { return try await registry.publicSession().value }
        guard let session = try await registry.session(for: token).value else { throw Unknown() }
        return session
    }

    private func answer(of registry: SessionRegistry, by session: Session) async throws -> Answer {
        switch ask {
        case .view(let place): return .view(try await session.view(at: place).value)
        case .views:
            let (cursor, language, views) = try await session.views()
            return .views(cursor, language, views)
        case .poll(let mirror, let wait):
            return .feed(try await session.changes(query(mirror), wait: .milliseconds(wait)))
        case .language(let language):
            try await session.changeLanguage(to: language)
            return .done
        case .end:
            // One in two by an operator, who goes before those that wait.
            if number.isMultiple(of: 2) {
                guard try await registry.end(publicID: session.id.publicID) else { throw Unknown() }
            } else {
                try await registry.end(session)
            }
            return .done
        case .act(let act):
            let once = act.key.map { request(act, key: $0, in: session) }
            return .performed(
                try await session.perform(ActionID(act.action, of: act.viewModel), body: act.body, once: once) { tag in
                    act.condition.map { $0.tag == tag } ?? true
                })
        case .begin, .listen, .tidy, .endExpired, .touch: return .done
        }
    }

    private func query(_ mirror: Mirror) -> FeedQuery {
        var topics: OutputSet?
        if client?.hearsLedgerAlone == true {
            var set = OutputSet()
            for output in BuildFacts.all[replica.build].viewModels[0].outputs.indices { set.insert(output) }
            topics = set
        }
        return FeedQuery(since: mirror.cursor, topics: topics)
    }

    private func request(_ act: ActionAsk, key: String, in session: Session) -> IdempotentRequest {
        let request = IdempotentRequest(
            key: key, in: session.id, token: self.session?.token, path: "/\(act.viewModel)/\(act.action)",
            body: act.body
        ) { result in
            let (status, view): (Int, View?) =
                switch result {
                case .done(let view): (200, view)
                case .refused(let refusal, let view): (refusal.kind.status, view)
                case .failed(SessionFailure.timedOut): (504, nil)
                case .failed: (500, nil)
                }
            return IdempotentRequest.Answer(
                status: status, entityTag: view?.entityTag ?? "", contentType: "application/json",
                body: view?.json ?? [])
        }
        replica.world.nameOfKey[request.key] = key
        return request
    }
}

/// Somebody who uses the service.
final class Client {
    let name: String
    let hearsLedgerAlone: Bool
    /// What it knows of each session, the latest last, with some that it knew before.
    var mirrors: [Int: [Mirror]] = [:]
    /// What it has seen of each view model of a session.
    var seen: [Int: Seen] = [:]
    /// Whether it waits for a session's changes.
    var waits: Set<Int> = []

    init(_ name: String, hearsLedgerAlone: Bool) {
        self.name = name
        self.hearsLedgerAlone = hearsLedgerAlone
    }
}
