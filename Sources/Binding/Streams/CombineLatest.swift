/// Pairs the latest elements of two sequences, each time that one of them has a new element.
///
/// The first pair needs an element of each. The result ends when both have ended. If one throws, the reader gets the
/// earlier elements and then the error, and the other sequence is cancelled. From each sequence, at most one element is
/// read in advance.
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

    /// Reads both sequences, each in its own task, until it is released.
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
