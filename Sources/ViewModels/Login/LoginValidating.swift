/// Judges an ID and a password.
///
/// A ``LoginViewModel`` is given one when it is made, so that a test or an application can put its own in. It must
/// neither keep nor log what it is shown, and be safe from any thread.
public protocol LoginValidating: Sendable {
    /// The outcome for what was typed; nil stands for a field that was never touched.
    func validate(id: String?, password: String?) -> LoginOutcome
}
