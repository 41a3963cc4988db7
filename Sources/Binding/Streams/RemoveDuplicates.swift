extension AsyncSequence {
    /// Leaves out each element that equals the one before it.
    ///
    /// The first element always comes. Ends and throws as the sequence it is made of.
    public func removeDuplicates() -> RemoveDuplicatesSequence<Self> where Element: Equatable & SendableMetatype {
        removeDuplicates(by: ==)
    }

    /// Leaves out each element that is the same as the one before it by `areSame`.
    ///
    /// The first element always comes. Ends and throws as the sequence it is made of.
    public func removeDuplicates(
        by areSame: @escaping @Sendable (Element, Element) -> Bool
    ) -> RemoveDuplicatesSequence<Self> {
        RemoveDuplicatesSequence(base: self, areSame: areSame)
    }
}

/// A sequence without the elements that repeat the one before: `removeDuplicates()`.
public struct RemoveDuplicatesSequence<Base: AsyncSequence>: AsyncSequence {
    let base: Base
    let areSame: @Sendable (Base.Element, Base.Element) -> Bool

    /// Remembers the last element that came.
    public struct Iterator: AsyncIteratorProtocol {
        var base: Base.AsyncIterator
        let areSame: @Sendable (Base.Element, Base.Element) -> Bool
        var last: Base.Element?

        /// The next element that differs from the last.
        public mutating func next(isolation actor: isolated (any Actor)?) async throws(Base.Failure) -> Base.Element? {
            while let element = try await base.next(isolation: actor) {
                if let last, areSame(last, element) { continue }
                last = element
                return element
            }
            return nil
        }
    }

    /// Starts an iteration of the base.
    public func makeAsyncIterator() -> Iterator {
        Iterator(base: base.makeAsyncIterator(), areSame: areSame)
    }
}

extension RemoveDuplicatesSequence: Sendable where Base: Sendable {}

@available(*, unavailable)
extension RemoveDuplicatesSequence.Iterator: Sendable {}
