import Locking

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

    /// Each element, with the latest of `other` at the time when it came.
    ///
    /// Elements that come before `other` has one are left out. Ends with this sequence, whether or not `other` has
    /// ended. When one throws, what came before is read and then it throws; the other is cancelled.
    /// The two are read in tasks of their own, so what comes in both at once comes in either order: to read the value
    /// of a Variable, give the Variable and not its `values`.
    public func withLatestFrom<Other: AsyncSequence & Sendable>(
        _ other: Other
    ) -> WithLatestFromSequence<Self, Other> where Self: Sendable {
        WithLatestFromSequence(base: self, other: other)
    }
}

/// The elements of a sequence with the latest of another: `withLatestFrom(_:)`.
public struct WithLatestFromSequence<Base: AsyncSequence & Sendable, Other: AsyncSequence & Sendable>:
    AsyncSequence, Sendable
where Base.Failure == Other.Failure, Base.Element: Sendable, Other.Element: Sendable {
    let base: Base
    let other: Other

    /// Reads both sequences, each in a task of its own, until it is dropped.
    public struct Iterator: AsyncIteratorProtocol {
        let confluence: Confluence<(Base.Element, Other.Element), Base.Failure>

        /// The next element of the base that has a latest of the other.
        public mutating func next(
            isolation actor: isolated (any Actor)?
        ) async throws(Base.Failure) -> (Base.Element, Other.Element)? {
            try await confluence.next(isolation: actor)
        }
    }

    /// Starts to read both.
    public func makeAsyncIterator() -> Iterator {
        let latest = Latest<Other.Element>()
        return Iterator(
            confluence: Confluence([
                { [base] in
                    await $0.send(
                        base,
                        as: { element in latest.value.map { (element, $0) } },
                        atEnd: { core in core.step { $0.end(.success(nil)) } })
                },
                { [other] in
                    await $0.send(
                        other,
                        as: {
                            latest.value = $0
                            return nil
                        })
                },
            ]))
    }
}

@available(*, unavailable)
extension WithLatestFromSequence.Iterator: Sendable {}

/// The latest element, shared by the task that writes it and the one that reads it.
private final class Latest<Element: Sendable>: Sendable {
    private let state = Lock<Element?>(nil)

    var value: Element? {
        get { state.withLock { $0 } }
        // The old one is swapped out, to be released after unlocking.
        set {
            var old = newValue
            state.withLock { swap(&$0, &old) }
        }
    }
}
