import Events
import HTTP
import Locking
import Sessions
import Synchronization
import ViewModels

/// The contract on the wire: which requests there are and what each is answered.
///
/// Safe from any thread. Holds no sessions: only what it counts of clients, the open streams, and whether it is about to stop.
public final class Service: Sendable {
    let registry: SessionRegistry
    let options: ServiceOptions
    let timeline: any Timeline
    /// The description that `/openapi.yaml` serves.
    let description: OpenAPIDocument
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
    /// - Parameter log: is told of the bounds that are reached; the requests are told by the server below.
    public init(
        registry: SessionRegistry, options: ServiceOptions = ServiceOptions(),
        timeline: any Timeline = SystemTimeline(), log: (any ExchangeLog)? = nil
    ) {
        self.registry = registry
        self.options = options
        self.timeline = timeline
        crossSiteRule = CrossSiteRule(allowedOrigins: options.allowedOrigins)
        pace = EventPace(
            log: log, now: { timeline.now }, sleep: { try await timeline.sleep(until: $0) })
        bounds = Self.bounds(options, registry.limits)
        newSessions = Lock(TokenBuckets(perMinute: options.newSessionsPerMinute))
        streamPlaces = StreamPlaces(limit: options.streamsPerToken)
        streamGroups = StreamGroups(options: options, timeline: timeline)
        description = OpenAPIDocument(catalogue: registry.catalogue)
        registry.tellEvents(at: pace)
    }

    /// Every route there is, for a ``Server``.
    public var routes: [Route] {
        let others = aroundRoutes + sessionRoutes + registry.catalogue.viewModels.indices.flatMap(viewModelRoutes)
        return others.map { admitting($0, takesQuery: false) }
            + ([changesRoute] + preflights(of: others + [changesRoute])).map { admitting($0, takesQuery: true) }
            + probeRoutes.map(\.takingNoQuery)
    }

    /// Whether `/readyz` says that the service is about to stop.
    public var isLeaving: Bool { leaving.load(ordering: .relaxed) }

    /// Whether the service stops, and takes no further actions.
    public var isDraining: Bool { firstTooLate.load(ordering: .relaxed) < .max }

    /// What the server adds to its own refusals for a page of that origin: what lets it read them, where it may.
    @Sendable public func refusalFields(for origin: String) -> [Response.Header] {
        crossSiteRule.allowed(origin).map(Header.shared) ?? []
    }

    /// Whether a request began after the service was told to stop, and may not act any more.
    func isTooLate(_ request: Request) -> Bool { request.number >= firstTooLate.load(ordering: .relaxed) }

    /// Turns `/readyz` to 503, so that a balancer sends no more clients; everything else is served as before.
    ///
    /// - Returns: whether it was not so before.
    @discardableResult
    public func leave() -> Bool { !leaving.exchange(true, ordering: .relaxed) }

    /// Turns `/readyz` to 503, answers every waiting poll and stream, and takes no further actions.
    ///
    /// - Parameter begun: how many requests the server has begun (``ServerGauges/begun``): what arrives among these, such
    ///   as an upload, may still act.
    public func drain(sparing begun: UInt64 = 0) {
        leave()
        firstTooLate.store(begun, ordering: .relaxed)
        registry.drain()
    }
}
