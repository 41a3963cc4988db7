/// One step from a version of the schema to the next.
struct Migration {
    /// The version it leads to; the first is 1.
    let version: Int32
    /// The statements that lead there.
    let statements: String
    /// The earliest version whose Bindery can go on with the file after this step; nil where there is none but this one.
    ///
    /// A step is additive where all that it adds is left alone by that version: tables, and columns with defaults.
    var readableFrom: Int32?
}
