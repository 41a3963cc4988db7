import ViewModels

/// One changed output in an answer of the feed.
struct FeedEntry: Sendable {
    let seq: UInt64
    let viewModel: Name
    let output: Name
    let value: [UInt8]
}
