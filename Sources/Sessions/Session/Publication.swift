/// Who is to be told of a change, and what.
struct Publication: Sendable {
    let polls: [WaitingPolls.Poll]
    let answers: [FeedQuery: FeedAnswer?]
}
