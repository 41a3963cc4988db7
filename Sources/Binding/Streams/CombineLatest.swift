/// The latest elements of two sequences, whenever one of them has a new one and both have had one.
///
/// Ends when both have ended, or when one has ended without an element. When one throws, what came before is read and
/// then it throws; the other is cancelled. Of each, one element is read ahead of the reader, no more.
public func combineLatest<First: AsyncSequence, Second: AsyncSequence>(
    _ first: First, _ second: Second
) -> CombineLatestSequence<First, Second> {
    CombineLatestSequence(first: first, second: second)
}

/// The latest elements of two sequences: ``combineLatest(_:_:)``.
public struct CombineLatestSequence<First: AsyncSequence & Sendable, Second: AsyncSequence & Sendable>:
    AsyncSequence, Sendable
where First.Failure == Second.Failure, First.Element: Sendable, Second.Element: Sendable {
    let first: First
    let second: Second

    enum Event: Sendable {
        case first(First.Element)
        case second(Second.Element)
        case firstEnded
        case secondEnded
    }

    /// Reads both sequences, each in a task of its own, until it is dropped.
    public struct Iterator: AsyncIteratorProtocol {
        let confluence: Confluence<Event, First.Failure>
        private var first: First.Element?
        private var second: Second.Element?

        init(confluence: Confluence<Event, First.Failure>) {
            self.confluence = confluence
        }

        /// The next pair.
        public mutating func next(
            isolation actor: isolated (any Actor)?
        ) async throws(First.Failure) -> (First.Element, Second.Element)? {
            while let event = try await confluence.next(isolation: actor) {
                switch event {
                case .first(let element): first = element
                case .second(let element): second = element
                case .firstEnded where first == nil, .secondEnded where second == nil:
                    confluence.cancel()
                    return nil
                case .firstEnded, .secondEnded: continue
                }
                if let first, let second { return (first, second) }
            }
            return nil
        }
    }

    /// Starts to read both.
    public func makeAsyncIterator() -> Iterator {
        Iterator(
            confluence: Confluence([
                { [first] in await $0.send(first, as: { .first($0) }, atEnd: { await $0.send(.firstEnded) }) },
                { [second] in await $0.send(second, as: { .second($0) }, atEnd: { await $0.send(.secondEnded) }) },
            ]))
    }
}

@available(*, unavailable)
extension CombineLatestSequence.Iterator: Sendable {}
