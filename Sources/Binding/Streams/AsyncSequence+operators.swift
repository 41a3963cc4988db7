extension AsyncSequence {
    /// Pairs each element with the value that `variable` has when the element is read.
    ///
    /// If you set the Variable before you ask for the next element, the pair has the new value. The sequence keeps the
    /// Variable alive.
    public func withLatestFrom<Value>(
        _ variable: some ReadableVariable<Value>
    ) -> AsyncMapSequence<Self, (Element, Value)> {
        let constant = variable.constant
        return map { ($0, constant.value) }
    }

    /// Omits the first `count` elements: the standard library's `dropFirst`, with its name in Rx.
    ///
    /// `variable.values.skip(1)` has the changes without the current value.
    public func skip(_ count: Int) -> AsyncDropFirstSequence<Self> { dropFirst(count) }

    /// Puts `elements` before those of the sequence.
    ///
    /// They do not wait for the sequence. The result ends and throws as the sequence does.
    public func startWith(_ elements: Element...) -> StartWithSequence<Self> {
        StartWithSequence(elements: elements, base: self)
    }

    /// Omits each element that equals the previous element.
    ///
    /// The first element is always there. The result ends and throws as the sequence does.
    public func removeDuplicates() -> RemoveDuplicatesSequence<Self> where Element: Equatable {
        RemoveDuplicatesSequence(base: self)
    }
}

/// A sequence with some elements before its own: `startWith(_:)`.
public struct StartWithSequence<Base: AsyncSequence>: AsyncSequence {
    let elements: [Base.Element]
    let base: Base

    /// Gives the first elements, and then those of the base.
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

/// A sequence without repeated elements: `removeDuplicates()`.
public struct RemoveDuplicatesSequence<Base: AsyncSequence>: AsyncSequence where Base.Element: Equatable {
    let base: Base

    /// Remembers the last element.
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
