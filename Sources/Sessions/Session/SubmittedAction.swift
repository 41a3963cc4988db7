/// An action that has run without waiting, as far as it is known what becomes of it.
public enum SubmittedAction: Sendable {
    /// What became of it: it is stored, or was refused.
    case settled(Result<Performed, any Error>)
    /// Its step is on its way to the store.
    case underWay(ActionUnderWay)
}
