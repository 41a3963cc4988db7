/// What a test waited for did not come.
public struct NothingCame: Error, CustomStringConvertible {
    /// Where the test waited, and for what.
    public let description: String

    package init(_ what: String, _ fileID: StaticString, _ line: UInt) { description = "\(fileID):\(line): \(what)" }
}
