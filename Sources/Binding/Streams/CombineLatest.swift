/// The latest elements of two sequences, whenever one of them has a new one and both have had one.
///
/// Ends when both have ended. When one throws, what came before is read and then it throws; the other is cancelled.
/// Of each, one element is read ahead of the reader, no more.
public func combineLatest<First: AsyncSequence, Second: AsyncSequence>(
    _ first: First, _ second: Second
) -> CombineLatestSequence<First, Second> {
    CombineLatestSequence(sides: merge(first.map { .first($0) }, second.map { .second($0) }))
}

/// The latest elements of two sequences: ``combineLatest(_:_:)``.
public struct CombineLatestSequence<First: AsyncSequence & Sendable, Second: AsyncSequence & Sendable>:
    AsyncSequence, Sendable
where First.Failure == Second.Failure, First.Element: Sendable, Second.Element: Sendable {
    enum Side: Sendable {
        case first(First.Element)
        case second(Second.Element)
    }

    typealias Sides = MergeSequence<AsyncMapSequence<First, Side>, AsyncMapSequence<Second, Side>>

    let sides: Sides

    /// Reads both sequences, each in a task of its own, until it is dropped.
    public struct Iterator: AsyncIteratorProtocol {
        var sides: Sides.Iterator
        var first: First.Element?
        var second: Second.Element?

        /// The next pair.
        public mutating func next(
            isolation actor: isolated (any Actor)?
        ) async throws(First.Failure) -> (First.Element, Second.Element)? {
            while let side = try await sides.next(isolation: actor) {
                switch side {
                case .first(let element): first = element
                case .second(let element): second = element
                }
                if let first, let second { return (first, second) }
            }
            return nil
        }
    }

    /// Starts to read both.
    public func makeAsyncIterator() -> Iterator { Iterator(sides: sides.makeAsyncIterator()) }
}
