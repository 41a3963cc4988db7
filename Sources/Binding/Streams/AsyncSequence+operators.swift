extension AsyncSequence {
    /// Each element, with the value that `variable` has when the element is read.
    ///
    /// The value is read at that moment: whoever sets the Variable before asking for the next element finds it set.
    /// It keeps the Variable alive.
    public func withLatestFrom<Value>(
        _ variable: some ReadableVariable<Value>
    ) -> AsyncMapSequence<Self, (Element, Value)> {
        let constant = variable.constant
        return map { ($0, constant.value) }
    }

    /// Leaves out the first `count` elements: the standard library's `dropFirst`, by the name that Rx gives it.
    ///
    /// `variable.values.skip(1)` is the changes without the current value.
    public func skip(_ count: Int) -> AsyncDropFirstSequence<Self> { dropFirst(count) }

    /// Puts `elements` before those of the sequence.
    ///
    /// They come without waiting for the sequence. Ends and throws as the sequence it is made of.
    public func startWith(_ elements: Element...) -> StartWithSequence<Self> {
        StartWithSequence(elements: elements, base: self)
    }

    /// Leaves out each element that equals the one before it.
    ///
    /// The first element always comes. Ends and throws as the sequence it is made of.
    public func removeDuplicates() -> RemoveDuplicatesSequence<Self> where Element: Equatable {
        RemoveDuplicatesSequence(base: self)
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

/// A sequence without the elements that repeat the one before: `removeDuplicates()`.
public struct RemoveDuplicatesSequence<Base: AsyncSequence>: AsyncSequence where Base.Element: Equatable {
    let base: Base

    /// Remembers the last element that came.
    public struct Iterator: AsyncIteratorProtocol {
        var base: Base.AsyncIterator
        var last: Base.Element?

        /// The next element that differs from the last.
        public mutating func next(isolation actor: isolated (any Actor)?) async throws(Base.Failure) -> Base.Element? {
            while let element = try await base.next(isolation: actor) {
                if let last, last == element { continue }
                last = element
                return element
            }
            return nil
        }
    }

    /// Starts an iteration of the base.
    public func makeAsyncIterator() -> Iterator { Iterator(base: base.makeAsyncIterator()) }
}

extension RemoveDuplicatesSequence: Sendable where Base: Sendable {}
