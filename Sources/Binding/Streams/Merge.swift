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

    enum Event: Sendable {
        /// An element, and where the reader permits its source to read the next.
        case element(First.Element, AsyncStream<Void>.Continuation)
        case failure(First.Failure)
    }

    /// Reads both sequences, each in a task of its own, until it is dropped.
    public struct Iterator: AsyncIteratorProtocol {
        var events: AsyncStream<Event>.Iterator

        /// The next element of either.
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
        // Called when the reader is cancelled, and when the iterator is dropped.
        continuation.onTermination = { _ in task.cancel() }
        return Iterator(events: events.makeAsyncIterator())
    }

    /// Reads a source until it ends, throws, or the reader has gone; returns whether it threw.
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
