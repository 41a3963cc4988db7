import Events
import HTTP
import Locking
import Sessions
import Synchronization
import ViewModels

/// The contract on the wire: which requests there are and what each is answered.
///
/// Safe from any thread. Holds no sessions: only what it counts of clients, the open streams, and whether it is about to stop.
package final class Service: Sendable {
    let registry: SessionRegistry
    let options: ServiceOptions
    let timeline: any Timeline
    /// What the server calls itself.
    let program: ServedProgram
    /// The description that `/openapi.yaml` serves; made before anybody is served, since it runs initializers of view models.
    let description: OpenAPIDocument
    /// The same as text, once somebody has asked for it.
    let writtenDescription = Lock<SharedBody?>(nil)
    /// The files of the host's own; nil for none.
    let staticFiles: StaticFiles?
    /// Why those cannot be served; nil where they can, or there are none.
    let staticFault: StaticFilesError?
    let crossSiteRule: CrossSiteRule
    /// Tells the log of the bounds that are reached.
    let pace: EventPace
    /// The options that set the bounds of which problems speak, by their slugs, and where they lie.
    let bounds: [String: (option: String, limit: Int?)]
    /// The sessions that each client network has begun of late.
    let newSessions: Lock<TokenBuckets<IPAddress>>
    let streamPlaces: StreamPlaces
    let streamGroups: StreamGroups
    private let leaving = Atomic(false)
    /// From which of the server's requests on no actions are taken.
    private let firstTooLate = Atomic(UInt64.max)

    /// Serves a registry's sessions.
    ///
    /// - Parameters:
    ///   - program: what it calls itself.
    ///   - log: is told of the bounds that are reached; the requests are told by the server below.
    package init(
        registry: SessionRegistry, of program: ServedProgram = .bindery, options: ServiceOptions = ServiceOptions(),
        timeline: any Timeline = SystemTimeline(), log: (any ExchangeLog)? = nil
    ) {
        self.registry = registry
        self.program = program
        self.options = options
        self.timeline = timeline
        (staticFiles, staticFault) = StaticFiles.found(in: options.staticFiles)
        crossSiteRule = CrossSiteRule(allowedOrigins: options.allowedOrigins)
        pace = EventPace(
            log: log, now: { timeline.now }, sleep: { try await timeline.sleep(until: $0) })
        bounds = Self.bounds(options, registry.limits)
        newSessions = Lock(TokenBuckets(perMinute: options.newSessionsPerMinute))
        streamPlaces = StreamPlaces(limit: options.streamsPerToken)
        streamGroups = StreamGroups(options: options, timeline: timeline)
        description = OpenAPIDocument(catalogue: registry.catalogue, of: program)
        registry.tellEvents(at: pace)
    }

    /// Every route there is, for a ``Server``.
    package var routes: [Route] {
        let others =
            aroundRoutes + webRoutes + sessionRoutes + registry.catalogue.viewModels.indices.flatMap(viewModelRoutes)
        return others.map { admitting($0, takesQuery: false) }
            + ([changesRoute] + preflights(of: others + [changesRoute]) + staticRoutes).map {
                admitting($0, takesQuery: true)
            }
            + probeRoutes.map(\.takingNoQuery)
    }

    /// Whether `/readyz` says that the service is about to stop.
    package var isLeaving: Bool { leaving.load(ordering: .relaxed) }

    /// Whether the service stops, and takes no further actions.
    package var isDraining: Bool { firstTooLate.load(ordering: .relaxed) < .max }

    /// A problem in the caller's language; an allowed origin may also read it where no handler has seen the request.
    @Sendable package func dress(_ problem: Problem, for request: Request) -> Problem {
        var problem = options.wording.worded(problem, for: request.header(.acceptLanguage))
        if request.isRefused, let origin = crossSiteRule.allowedOrigin(of: request) {
            problem.headers += Header.readable(by: origin)
        }
        return problem
    }

    /// Whether a request began after the service was told to stop, and may not act any more.
    func isTooLate(_ request: Request) -> Bool { request.number >= firstTooLate.load(ordering: .relaxed) }

    /// Turns `/readyz` to 503, so that a balancer sends no more clients; everything else is served as before.
    ///
    /// - Returns: whether it was not so before.
    @discardableResult
    package func leave() -> Bool { !leaving.exchange(true, ordering: .relaxed) }

    /// Turns `/readyz` to 503, answers every waiting poll and stream, and takes no further actions.
    ///
    /// - Parameter begun: how many requests the server has begun (``ServerGauges/begun``): what arrives among these, such
    ///   as an upload, may still act.
    package func drain(sparing begun: UInt64 = 0) {
        leave()
        firstTooLate.store(begun, ordering: .relaxed)
        registry.drain()
    }
}

typealias Header = Response.Header

extension Response {
    /// An answer of this service: JSON, and not to be kept by any cache.
    static func json(_ body: [UInt8], status: Int = 200, headers: [Header]) -> Response {
        Response(status: status, headers: [.json, .noStore] + headers, body: .bytes(body))
    }

    /// What a view model shows: the answer that is given most, its headers in one list.
    static func view(_ view: View) -> Response {
        Response(headers: [.json, .noStore, Header(.eTag, view.entityTag)], body: .bytes(view.json))
    }
}

extension Response.Header {
    static let json = Header(.contentType, "application/json")
    static let noStore = Header(.cacheControl, "no-store")
}
