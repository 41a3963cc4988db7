/// What the simulator has found and is not mended: it is passed over unless it is asked for.
///
/// Whoever mends one takes its case away.
enum Finding: String, CaseIterable {
    /// A slow action runs again, for as long again, each time that another replica commits meanwhile; also one with a key
    /// that is given up, whose outcome stands on what is no more.
    case hungAgain = "hung-again"
    /// Whoever keeps house waits for the turn of a session that a hung action holds.
    case tidyWaits = "tidy-waits"
    /// Where a commit is told to be stored before the one that it stands on, the session goes back to that one.
    case outOfOrder = "out-of-order"
    /// A replica that lives while the store is put back to before a view model's first change goes on to show what is lost.
    case liveRewind = "live-rewind"
    /// Where builds of both kinds serve, what one derives after a conflict is shown and never stored.
    case rolling
    /// Who reads while another's commit conflicts is told that the store does not answer.
    case behindUnavailable = "behind-unavailable"
    /// A key is free for a moment where nobody knows whether its commit was stored: what it names is done again.
    case unknownKey = "unknown-key"
    /// A session whose end stands in line when it is put away is told to have ended, and has not.
    case endPutAway = "end-put-away"
    /// Who asks for a session that another build is just deriving is shown it before that is stored.
    case derivedEarly = "derived-early"
}
