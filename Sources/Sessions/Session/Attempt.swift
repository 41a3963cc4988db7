/// What came of one try at an action, and what has to be stored before it may be said.
struct Attempt: Sendable {
    /// What to say.
    let result: Result<Performed, any Error>
    /// What it stands on; nil where all of that is stored.
    let settlement: Settlement?

    init(_ result: Result<Performed, any Error>, after settlement: Settlement?) {
        self.result = result
        self.settlement = settlement
    }
}
