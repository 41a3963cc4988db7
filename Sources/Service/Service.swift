import Entities
import Events
import HTTP
import Locking
import Synchronization
import ViewModels

/// The HTTP contract: the routes, and the answer to each request.
///
/// Any thread may use it. Entities keep all state of sessions.
package final class Service: Sendable {
    let registry: Registry
    let catalogue: Catalogue
    let languages: Languages
    let environment: Environment
    let options: ServiceOptions
    let limits: SessionLimits
    let allowedHosts: AllowedHosts
    let program: (name: String, version: String)
    let staticFiles: StaticFiles?
    let newSessions: RateLimit
    let failedLogins: RateLimit
    let openPolls = Allowance()
    let openStreams = Allowance()
    /// The last body of a poll and the last event of a stream; equal answers share them.
    let polls = Renditions<[UInt8]>(1)
    let events = Renditions<[UInt8]>(1)
    private let leaving = Atomic(false)
    /// Requests with this number or a later one may not act.
    private let firstTooLate = Atomic(UInt64.max)

    /// Checks the declarations, opens the store and serves its entities.
    ///
    /// - Throws: ``DeclarationFault``, ``StaticFilesError``, and the errors of `open`.
    init(
        viewModels: [Declaration], languages: Languages, options: BinderyServer.Options, log: (any EventLog)?,
        timer: any Timing, store open: () throws -> any EntityStore
    ) throws {
        self.languages = languages
        (self.options, limits) = (options.service, options.sessions)
        allowedHosts = options.service.allowedHosts ?? BinderyServer.Options.allowedHosts(at: options.host)
        program = (options.program, options.programVersion)
        catalogue = try BinderyServer.catalogue(of: viewModels)
        let kinds = try CatalogueHost.kinds(of: catalogue, languages: languages) { fault in
            log?.record(
                Event(.modelUnreadable, ["viewModel": .text(fault.viewModel), "reason": .text(fault.description)]))
        }
        var (bounds, memory) = (EntityCore.Limits(), Registry.Limits())
        (bounds.queue, bounds.keys) = (limits.waitingActions, limits.keysPerSession)
        (memory.entities, memory.idleTime) = (limits.sessions, limits.timeInMemory)
        memory.timeToLive = limits.timeToLive
        let effects = EffectRunner(isHeld: options.holdsEffects) { log?.record(Event($0)) }
        environment = Environment(
            store: try open(), kinds: kinds, effects: effects, executor: Executor(threads: limits.actionThreads),
            timer: timer, limits: bounds, actionTimeout: limits.actionTime,
            isOnEventLoop: { Server.isOnEventLoop })
        registry = Registry(environment, language: languages.standard.rawValue, limits: memory)
        staticFiles = try options.service.staticFiles.map { try StaticFiles($0) }
        newSessions = RateLimit(perMinute: options.service.newSessionsPerMinute, else: .tooManyNewSessions)
        failedLogins = RateLimit(perMinute: options.service.failedLoginsPerMinute, else: .tooManyLogins)
        effects.act.withLock { act in act = .init { [unowned self] in try await self.act($0, of: $1) } }
    }

    /// The first segments of the service's own paths; no view model may have such a name.
    static let reservedNames: Set<String> = [
        "bindery", "changes", "livez", "problems", "public", "readyz", "session", "sessions",
    ]

    package var routes: [Route] {
        var routes = [indexRoute, descriptionRoute, problemRoute, changesRoute(at: "/changes", of: nil)]
        routes += webRoutes + sessionRoutes + userRoutes
        for (index, viewModel) in catalogue.sessionViewModels.enumerated() {
            routes += self.routes(of: viewModel, at: index)
        }
        for viewModel in catalogue.viewModels where viewModel.keys != nil {
            routes += self.routes(of: viewModel, at: 0)
            routes.append(changesRoute(at: "\(viewModel.path)/changes", of: viewModel))
        }
        return routes + preflights(of: routes) + staticRoutes + probeRoutes()
    }

    // MARK: Stopping

    /// Whether `/readyz` says that the server is about to stop.
    package var isLeaving: Bool { leaving.load(ordering: .relaxed) }

    /// Whether the drain has begun: polls and streams end, and later requests may not act.
    var isDraining: Bool { firstTooLate.load(ordering: .relaxed) < .max }

    /// - Throws: ``Problem``, 503, if the request began after the start of the drain.
    func checkDraining(_ request: Request) throws(Problem) {
        guard request.number >= firstTooLate.load(ordering: .relaxed) else { return }
        throw ProblemType.draining.problem(retryAfter: .random(in: 1...5))
    }

    /// Turns `/readyz` to 503; the server still serves everything else.
    func leave() { leaving.store(true, ordering: .relaxed) }

    /// Answers all polls, ends all streams, and refuses actions of later requests.
    ///
    /// - Parameter begun: the number of requests so far (``ServerGauges/begun``); these requests may still act.
    func drain(sparing begun: UInt64) {
        firstTooLate.store(begun, ordering: .sequentiallyConsistent)
        registry.dismissWaits()
    }

    /// Explains a problem that HTTP reports before a handler runs, and lets pages of allowed origins read it.
    @Sendable func refusal(_ request: Request, _ problem: Problem) -> Problem {
        var problem = problem.explained
        problem.headers += fieldsForOrigin(of: request)
        return problem
    }
}

typealias Header = Response.Header

extension Response.Header {
    static let json = Header("Content-Type", "application/json")
    static let noStore = Header("Cache-Control", "no-store")
}

extension Response {
    /// A JSON answer that no cache keeps.
    static func json(_ body: some Sequence<UInt8>, status: Int = 200, headers: [Header] = []) -> Response {
        Response(status: status, headers: [.json, .noStore] + headers, body: .bytes(Array(body)))
    }
}
