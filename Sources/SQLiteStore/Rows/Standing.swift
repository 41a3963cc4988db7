import Sessions

/// What the writer has to know of a session to take its next commit.
struct Standing {
    /// The number by which the file knows it.
    let number: Int64
    /// Where it stands.
    var head: SessionHead
    /// When it ends.
    var end: TimeOfDay?
}
