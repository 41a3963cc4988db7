/// Gives the elements of two sequences as they arrive.
///
/// The result ends when both have ended. If one throws, the reader gets the earlier elements and then the error, and
/// the other sequence is cancelled. From each sequence, at most one element is read in advance. For more than two
/// sequences, merge the result again.
public func merge<First: AsyncSequence, Second: AsyncSequence>(
    _ first: First, _ second: Second
) -> MergeSequence<First, Second> {
    MergeSequence(first: first, second: second)
}

/// The elements of two sequences as they arrive: ``merge(_:_:)``.
public struct MergeSequence<First: AsyncSequence & Sendable, Second: AsyncSequence & Sendable>: AsyncSequence, Sendable
where First.Element == Second.Element, First.Failure == Second.Failure, First.Element: Sendable {
    let first: First
    let second: Second

    enum Event: Sendable {
        /// An element, and the continuation by which the reader lets its source read the next.
        case element(First.Element, AsyncStream<Void>.Continuation)
        case failure(First.Failure)
    }

    /// Reads both sequences, each in its own task, until it is released.
    public struct Iterator: AsyncIteratorProtocol {
        var events: AsyncStream<Event>.Iterator

        /// The next element of either sequence.
        public mutating func next(
            isolation actor: isolated (any Actor)?
        ) async throws(First.Failure) -> First.Element? {
            switch await events.next(isolation: actor) {
            case .element(let element, let permits):
                permits.yield()
                return element
            case .failure(let failure): throw failure
            case nil: return nil
            }
        }
    }

    /// Starts to read both.
    public func makeAsyncIterator() -> Iterator {
        let (events, continuation) = AsyncStream.makeStream(of: Event.self)
        let task = Task {
            await withTaskGroup { group in
                group.addTask { await Self.read(first, into: continuation) }
                group.addTask { await Self.read(second, into: continuation) }
                for await hasFailed in group where hasFailed { group.cancelAll() }
            }
            continuation.finish()
        }
        // Runs when the reader is cancelled, and when the iterator is released.
        continuation.onTermination = { _ in task.cancel() }
        return Iterator(events: events.makeAsyncIterator())
    }

    /// Reads a source until it ends, it throws, or the reader is released; returns whether the source threw.
    private static func read(
        _ source: some AsyncSequence<First.Element, First.Failure>, into events: AsyncStream<Event>.Continuation
    ) async -> Bool {
        let (stream, permits) = AsyncStream.makeStream(of: Void.self)
        var permitted = stream.makeAsyncIterator()
        do throws(First.Failure) {
            var iterator = source.makeAsyncIterator()
            while let element = try await iterator.next(isolation: nil) {
                events.yield(.element(element, permits))
                if await permitted.next() == nil { break }
            }
            return false
        } catch {
            events.yield(.failure(error))
            events.finish()
            return true
        }
    }
}
