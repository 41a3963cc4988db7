/// What became of an action.
public enum Performed: Sendable {
    /// It was done; here is what the view model shows now.
    case done(View)
    /// It was done or refused, and what was answered is kept; a replay says it again.
    indirect case remembered(RememberedOutcome, isReplay: Bool)
}
