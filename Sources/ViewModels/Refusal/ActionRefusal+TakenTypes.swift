extension ActionRefusal.Kind {
    /// The types of all problems that the service itself reports; a test holds them to it.
    package static let takenTypes: Set<String> = [
        "action-conflict", "action-disabled", "action-forbidden", "action-invalid", "action-not-found",
        "action-timeout", "ambiguous-length", "bad-request", "body-too-large", "cross-site", "draining",
        "expectation-failed", "header-too-large", "https-required", "idempotency-mismatch", "internal-error",
        "malformed-header", "malformed-host", "malformed-json", "malformed-path", "malformed-query", "memory-full",
        "method-not-allowed", "misdirected-request", "model-unreadable", "not-found", "not-implemented", "not-json",
        "precondition-failed", "public-session", "server-busy", "server-full", "session-busy", "session-changed",
        "session-ended", "session-required", "session-unknown", "session-unreadable", "stopping",
        "store-unavailable", "target-too-long", "too-many-actions", "too-many-connections", "too-many-key-bytes",
        "too-many-keys", "too-many-new-sessions", "too-many-sessions", "too-many-streams", "too-many-waiting-actions",
        "version-not-supported", "wrong-shape",
    ]
}
