/// The elements of two sequences, each as it comes.
///
/// Ends when both have ended. When one throws, what came before is read and then it throws; the other is cancelled.
/// Of each, one element is read ahead of the reader, no more. More than two: merge the merged.
public func merge<First: AsyncSequence, Second: AsyncSequence>(
    _ first: First, _ second: Second
) -> MergeSequence<First, Second> {
    MergeSequence(first: first, second: second)
}

/// The elements of two sequences as they come: ``merge(_:_:)``.
public struct MergeSequence<First: AsyncSequence & Sendable, Second: AsyncSequence & Sendable>: AsyncSequence, Sendable
where First.Element == Second.Element, First.Failure == Second.Failure, First.Element: Sendable {
    let first: First
    let second: Second

    /// Reads both sequences, each in a task of its own, until it is dropped.
    public struct Iterator: AsyncIteratorProtocol {
        let confluence: Confluence<First.Element, First.Failure>

        /// The next element of either.
        public mutating func next(
            isolation actor: isolated (any Actor)?
        ) async throws(First.Failure) -> First.Element? {
            try await confluence.next(isolation: actor)
        }
    }

    /// Starts to read both.
    public func makeAsyncIterator() -> Iterator {
        Iterator(
            confluence: Confluence([
                { [first] in await $0.send(first, as: { $0 }) },
                { [second] in await $0.send(second, as: { $0 }) },
            ]))
    }
}

@available(*, unavailable)
extension MergeSequence.Iterator: Sendable {}
