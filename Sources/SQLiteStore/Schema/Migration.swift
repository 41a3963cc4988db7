/// One step from a version of the schema to the next.
struct Migration {
    /// The version it leads to; the first is 1.
    let version: Int32
    /// The statements that lead there.
    let statements: String
}
