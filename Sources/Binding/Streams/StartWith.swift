extension AsyncSequence {
    /// Puts `elements` before those of the sequence.
    ///
    /// They come without waiting for the sequence. Ends and throws as the sequence it is made of.
    public func startWith(_ elements: Element...) -> StartWithSequence<Self> {
        StartWithSequence(elements: elements, base: self)
    }

    /// Leaves out the first `count` elements: the standard library's `dropFirst`, by the name that Rx gives it.
    ///
    /// `variable.values.skip(1)` is the changes without the current value.
    public func skip(_ count: Int) -> AsyncDropFirstSequence<Self> {
        dropFirst(count)
    }
}

/// A sequence with some elements before its own: `startWith(_:)`.
public struct StartWithSequence<Base: AsyncSequence>: AsyncSequence {
    let elements: [Base.Element]
    let base: Base

    /// Gives the elements put before, then those of the base.
    public struct Iterator: AsyncIteratorProtocol {
        var elements: ArraySlice<Base.Element>
        var base: Base.AsyncIterator

        /// The next element.
        public mutating func next(isolation actor: isolated (any Actor)?) async throws(Base.Failure) -> Base.Element? {
            if let element = elements.popFirst() { return element }
            return try await base.next(isolation: actor)
        }
    }

    /// Starts an iteration of the base.
    public func makeAsyncIterator() -> Iterator {
        Iterator(elements: elements[...], base: base.makeAsyncIterator())
    }
}

extension StartWithSequence: Sendable where Base: Sendable, Base.Element: Sendable {}

@available(*, unavailable)
extension StartWithSequence.Iterator: Sendable {}
