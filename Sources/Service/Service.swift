import HTTP
import Sessions
import Synchronization
import ViewModels

/// The contract on the wire: which requests there are and what each is answered.
///
/// Safe from any thread. Holds no state of its own but whether it is draining.
public final class Service: Sendable {
    let registry: SessionRegistry
    let options: ServiceOptions
    let timeline: any Timeline
    /// The description that `/openapi.yaml` serves.
    let description: OpenAPIDocument
    private let draining = Atomic(false)

    /// Serves a registry's sessions.
    public init(
        registry: SessionRegistry, options: ServiceOptions = ServiceOptions(),
        timeline: any Timeline = SystemTimeline()
    ) {
        self.registry = registry
        self.options = options
        self.timeline = timeline
        description = OpenAPIDocument(catalogue: registry.catalogue)
    }

    /// Every route there is, for a ``Server``.
    public var routes: [Route] {
        (aroundRoutes + sessionRoutes + [changesRoute]
            + registry.catalogue.viewModels.indices.flatMap(viewModelRoutes)).map(\.checkingQuery)
    }

    /// Whether the service is about to stop.
    public var isDraining: Bool { draining.load(ordering: .relaxed) }

    /// Turns `/readyz` to 503, answers every waiting poll and stream, and takes no further actions.
    public func drain() {
        draining.store(true, ordering: .relaxed)
        registry.drain()
    }
}
