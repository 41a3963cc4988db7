import StoreParts

extension PostgresStore {
    /// How replicas learn of each other's commits.
    package enum HintMode: String, Sendable, CaseIterable {
        /// By `NOTIFY`, within milliseconds.
        case notify
        /// No hints: at each interval, a replica checks everything that clients wait for. For engines without `NOTIFY`.
        case poll
    }

    /// The settings of a store.
    package struct Settings: Sendable {
        /// The schema of the tables: lower-case letters of ASCII, digits and underscores.
        package var schema = "bindery"
        /// The URI of the server itself for `LISTEN`, if the store's URI leads to a transaction pooler; nil for the store's URI.
        package var directURI: String?
        /// How replicas learn of each other's commits.
        package var hints = HintMode.notify
        /// The interval of ``HintMode/poll``.
        package var pollInterval = Duration.seconds(1)
        /// How long a commit waits for the server and its synchronous standby; then the commit is unknown.
        package var commitTimeout = Duration.seconds(5)
        /// How long a read waits for the server.
        package var readTimeout = Duration.seconds(4)
        /// How long the store waits before it connects again after a failure.
        package var patience = Duration.milliseconds(200)
        /// How often the writer probes a lost store, and how long a stored commit proves that the store is ready.
        package var probeInterval = Duration.seconds(1)
        /// The shortest time between two messages with hints; a message has all hints since the last one.
        package var hintInterval = Duration.milliseconds(3)
        /// How many writes one group may have.
        package var groupLimit = 512
        /// Takes events for the log, on any thread; must not block.
        package var tell: @Sendable (StoreEvent) -> Void = { _ in }

        package init() {}
    }
}
