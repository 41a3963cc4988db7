import Entities
import Events
import HTTP
import Locking
import Synchronization
import ViewModels

/// The contract on the wire: the routes, and the answer to each request.
///
/// Safe from any thread. Entities keep all state of sessions.
package final class Service: Sendable {
    let registry: Registry
    let catalogue: Catalogue
    let languages: Languages
    let environment: Environment
    let options: ServiceOptions
    let limits: SessionLimits
    let program: ServedProgram
    let staticFiles: StaticFiles?
    let log: (any EventLog)?
    let newSessions: Lock<RateLimit>
    /// The open streams of the public session, by client network.
    let networkStreams = Lock<[IPAddress: Int]>([:])
    /// The bodies of polls, and the events of streams, that were sent last.
    let polls = Renditions<[UInt8]>(1)
    let events = Renditions<[UInt8]>(1)
    let streamCount = Atomic(0)
    /// The age of the oldest handler that holds an event loop.
    let held = Lock<@Sendable () -> Duration>({ .zero })
    private let leaving = Atomic(false)
    /// The number of the first request that may not act any more.
    private let firstTooLate = Atomic(UInt64.max)

    /// Serves the entities of a registry.
    ///
    /// - Throws: ``StaticFilesError``.
    package init(
        _ registry: Registry, host: CatalogueHost, environment: Environment, program: ServedProgram,
        options: ServiceOptions, limits: SessionLimits, log: (any EventLog)? = nil
    ) throws {
        (self.registry, self.environment, self.program) = (registry, environment, program)
        (catalogue, languages) = (host.catalogue, host.languages)
        (self.options, self.limits, self.log) = (options, limits, log)
        staticFiles = try options.staticFiles.map { try StaticFiles($0) }
        newSessions = Lock(RateLimit(perMinute: options.newSessionsPerMinute))
    }

    /// The first segments of the service's own paths, which no view model may have as its name.
    static let reservedNames: Set<String> = [
        "bindery", "changes", "livez", "problems", "readyz", "session", "sessions",
    ]

    /// All routes, for a ``Server``.
    package var routes: [Route] {
        let routes =
            [indexRoute, descriptionRoute, problemRoute, changesRoute] + webRoutes + sessionRoutes
            + catalogue.viewModels.indices.flatMap(viewModelRoutes)
        return routes + preflights(of: routes) + staticRoutes + probeRoutes
    }

    /// How many event streams are open.
    package var openStreams: Int { streamCount.load(ordering: .relaxed) }

    // MARK: Stopping

    /// Whether `/readyz` says that the server is about to stop.
    package var isLeaving: Bool { leaving.load(ordering: .relaxed) }

    /// Whether polls and streams end, and later requests may not act.
    var isDraining: Bool { firstTooLate.load(ordering: .relaxed) < .max }

    /// Whether a request began too late to act.
    func isTooLate(_ request: Request) -> Bool { request.number >= firstTooLate.load(ordering: .relaxed) }

    /// Turns `/readyz` to 503; everything else goes on.
    ///
    /// - Returns: false if it was so before.
    func leave() -> Bool { !leaving.exchange(true, ordering: .relaxed) }

    /// Answers all polls and streams, and takes no further actions.
    ///
    /// - Parameter begun: the number of requests that the server has begun (``ServerGauges/begun``): these may still act.
    func drain(sparing begun: UInt64) {
        _ = leave()
        firstTooLate.store(begun, ordering: .sequentiallyConsistent)
        registry.dismissWaits()
    }

    /// A problem as any request gets it: pages of allowed origins may read it also where no handler saw the request.
    @Sendable func dress(_ problem: Problem, for request: Request) -> Problem {
        guard request.isRefused, let origin = allowedOrigin(of: request) else { return problem }
        var problem = problem
        problem.headers += Self.readable(by: origin)
        return problem
    }
}

typealias Header = Response.Header

extension Response.Header {
    static let json = Header(.contentType, "application/json")
    static let noStore = Header(.cacheControl, "no-store")
}

extension Response {
    /// A JSON answer that no cache keeps.
    static func json(_ body: [UInt8], status: Int = 200, headers: [Header] = []) -> Response {
        Response(status: status, headers: [.json, .noStore] + headers, body: .bytes(body))
    }
}
