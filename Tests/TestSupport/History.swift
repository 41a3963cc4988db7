import Locking

/// What was seen, in the order in which it was seen.
package final class History<Element: Sendable>: Sendable {
    private let seen = Lock<[Element]>([])

    /// Nothing was seen yet.
    package init() {}

    /// All that was seen so far.
    package var elements: [Element] { seen.withLock { $0 } }

    /// Notes one more.
    package func note(_ element: Element) { seen.withLock { $0.append(element) } }
}

extension History where Element: Equatable {
    /// What was seen, each run of equals once.
    package var changes: [Element] { elements.reduce(into: []) { if $0.last != $1 { $0.append($1) } } }
}
