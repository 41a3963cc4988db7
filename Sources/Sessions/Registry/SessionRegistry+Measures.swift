package import Events

extension SessionRegistry: Measured {
    /// How the sessions stand, what became of their actions, and what their store says of itself.
    ///
    /// It looks at each session in memory: half a microsecond each.
    package var measures: [Measure] {
        let (sessions, endings) = environment.sessions.withLock { ($0.all, $0.endings) }
        let standing = sessions.map(\.standing)
        return [
            Measure(
                .gauge, "bindery_sessions_in_memory", "Sessions in memory, the public one among them.", sessions.count),
            Measure(.gauge, "bindery_sessions_limit", "Sessions there may be, in memory or not.", limits.sessions),
            Measure(
                .counter, "bindery_sessions_ended_total", "Sessions that ended here, by reason.", by: "reason",
                [
                    "asked": endings.asked, "expired": endings.expired, "operator": endings.byOperator,
                    "unused": endings.unused,
                ]),
            Measure(
                .counter, "bindery_sessions_evicted_total", "Sessions that left memory, and are in the store alone.",
                endings.evicted),
            Measure(.gauge, "bindery_waits", "Polls and streams that wait for a change.", standing.sum(\.waits)),
            Measure(.gauge, "bindery_streams", "Event streams that are open.", standing.sum(\.streams)),
            Measure(
                .gauge, "bindery_actions_waiting", "Actions that wait for their turn, or to be stored.",
                standing.sum(\.actions)),
            Measure(
                .gauge, "bindery_actions_waiting_longest", "The same of the session where most of them wait.",
                standing.map(\.actions).max() ?? 0),
        ] + environment.counts.measures(catalogue, at: environment.now)
            + ((environment.store as? any Measured)?.measures ?? [])
    }
}

extension Array {
    fileprivate func sum(_ number: (Element) -> Int) -> Int { reduce(0) { $0 + number($1) } }
}

/// What a session has at hand.
package struct SessionStanding: Sendable {
    /// Polls and streams that wait.
    package let waits: Int
    let streams: Int
    /// Actions in its line.
    let actions: Int
}

extension Session {
    /// What the session has at hand.
    package var standing: SessionStanding {
        state.withLock { state in
            SessionStanding(
                waits: state.core.waits.count, streams: state.core.openStreams, actions: state.core.waitingActions)
        }
    }
}
