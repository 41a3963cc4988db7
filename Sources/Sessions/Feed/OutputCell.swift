/// The latest value of one output and the commit that brought it.
struct OutputCell: Equatable, Sendable {
    /// JSON text.
    let value: [UInt8]
    let seq: UInt64
}
