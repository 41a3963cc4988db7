/// A sequence moved by hand: the test sends elements, and knows when the reader asks and when it has gone.
final class Hand<Element: Sendable>: AsyncSequence, Sendable {
    private let stream: AsyncThrowingStream<Element, any Error>
    private let continuation: AsyncThrowingStream<Element, any Error>.Continuation
    private let asked: AsyncStream<Void>
    private let asks: AsyncStream<Void>.Continuation

    init() {
        (stream, continuation) = AsyncThrowingStream.makeStream()
        (asked, asks) = AsyncStream.makeStream()
    }

    /// Waits until the reader asks for an element.
    func ask() async {
        for await _ in asked { break }
    }

    /// Sends an element without waiting.
    func yield(_ element: Element) {
        continuation.yield(element)
    }

    func finish(throwing error: (any Error)? = nil) {
        continuation.finish(throwing: error)
    }

    /// Waits until the reader has gone away.
    func over() async {
        for await _ in asked {}
    }

    struct Iterator: AsyncIteratorProtocol {
        var base: AsyncThrowingStream<Element, any Error>.Iterator
        let asks: AsyncStream<Void>.Continuation
        let witness: Witness

        mutating func next(isolation actor: isolated (any Actor)?) async throws -> Element? {
            asks.yield()
            return try await base.next(isolation: actor)
        }
    }

    func makeAsyncIterator() -> Iterator {
        Iterator(base: stream.makeAsyncIterator(), asks: asks, witness: Witness { [asks] in asks.finish() })
    }
}

/// What a test makes a sequence throw.
struct Broken: Error {}

extension AsyncSequence {
    /// Reads to the end.
    func collect() async throws(Failure) -> [Element] {
        var all: [Element] = []
        var iterator = makeAsyncIterator()
        while let next = try await iterator.next(isolation: nil) { all.append(next) }
        return all
    }
}

extension Array where Element: Sendable {
    /// The elements as a sequence that ends after them.
    var stream: AsyncStream<Element> {
        AsyncStream { continuation in
            for element in self { continuation.yield(element) }
            continuation.finish()
        }
    }
}
