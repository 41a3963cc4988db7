import Locking

/// What came, in the order in which it came; safe from any thread.
package final class History<Element: Sendable>: Sendable {
    private let elements = Lock<[Element]>([])

    /// Nothing has come.
    package init() {}

    /// All that came so far.
    package var all: [Element] { elements.withLock { $0 } }

    /// Appends one more.
    ///
    /// - Returns: how many there are now.
    @discardableResult
    package func append(_ element: Element) -> Int {
        elements.withLock { elements in
            elements.append(element)
            return elements.count
        }
    }
}
