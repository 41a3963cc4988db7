import StoreParts

extension PostgresStore {
    /// How replicas hear of each other's commits.
    package enum HintMode: String, Sendable, CaseIterable {
        /// By `NOTIFY`, within milliseconds.
        case notify
        /// Not at all: waiting clients are looked after at each interval. For engines without `NOTIFY`.
        case poll
    }

    /// How a store works.
    package struct Settings: Sendable {
        /// The schema of the tables: lower-case letters of ASCII, digits and underscores.
        package var schema = "bindery"
        /// The URI of the server itself for `LISTEN`, if the store's URI leads to a transaction pooler; nil for the store's URI.
        package var directURI: String?
        /// How replicas hear of each other's commits.
        package var hints = HintMode.notify
        /// How often everything that somebody waits for is looked at with ``HintMode/poll``.
        package var pollInterval = Duration.seconds(1)
        /// How long a commit waits for the server, and in it for a synchronous standby; then it is unknown.
        package var commitTimeout = Duration.seconds(5)
        /// How long a read waits for the server.
        package var readTimeout = Duration.seconds(4)
        /// How long a lost connection is left alone before the store tries again.
        package var patience = Duration.milliseconds(200)
        /// How often a lost store is tried, and how old the last commit may be for the store to count as ready.
        package var probeInterval = Duration.seconds(1)
        /// How often hints are sent, at most; those in between go together.
        package var hintInterval = Duration.milliseconds(3)
        /// How many writes one group may have.
        package var groupLimit = 512
        /// Takes events for the log, on any thread; must not block.
        package var tell: @Sendable (StoreEvent) -> Void = { _ in }

        package init() {}
    }
}
