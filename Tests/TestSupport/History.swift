import Locking

/// A list of elements in the order of their arrival; any thread may use it.
package final class History<Element: Sendable>: Sendable {
    private let elements = Lock<[Element]>([])

    /// An empty list.
    package init() {}

    /// All elements so far.
    package var all: [Element] { elements.withLock { $0 } }

    /// Appends an element.
    ///
    /// - Returns: the new number of elements.
    @discardableResult
    package func append(_ element: Element) -> Int {
        elements.withLock { elements in
            elements.append(element)
            return elements.count
        }
    }
}
