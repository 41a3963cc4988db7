import HTTP
import Locking
import TestSupport
import Testing

/// Keeps the places to answer that its handler is given, and how each client is said to go.
final class Desk: Sendable {
    private let told = Lock<[Departure]>([])
    private let places: AsyncStream<PendingAnswer>
    private let isPlaced: AsyncStream<PendingAnswer>.Continuation

    init() { (places, isPlaced) = AsyncStream.makeStream() }

    /// How clients were said to go, in that order.
    var departures: [Departure] { told.withLock { $0 } }

    /// A route at `/` whose answer is left to whoever takes its place.
    var route: Route { Route(.get, "/") { [self] _ in later } }

    /// An answer that whoever takes its place gives.
    var later: Response {
        Response(
            body: .later { [self] pending in
                isPlaced.yield(pending)
                return { [self] departure in told.withLock { $0.append(departure) } }
            })
    }

    /// The next place.
    func place() async throws -> PendingAnswer {
        var iterator = places.makeAsyncIterator()
        return try #require(await iterator.next())
    }
}

/// Sends nothing, and counts how often it is told that its stream is over.
final class Silent: EventSource {
    private let overs = Lock(0)

    var over: Int { overs.withLock { $0 } }

    func streamIsReady() {}
    func streamIsOver() { overs.withLock { $0 += 1 } }
}

/// Sends one event and ends the stream.
final class Once: EventSource {
    private let stream: EventStream

    init(_ stream: EventStream) { self.stream = stream }

    func streamIsReady() {
        stream.send(SharedBody(Array("event: only\ndata: \n\n".utf8)))
        stream.finish()
    }

    func streamIsOver() {}
}

extension LiveServer {
    /// Asks for `/`, and leaves the answer to be read.
    func ask(_ method: String = "GET") async throws -> RawClient {
        try await onThread {
            let client = try connect()
            try client.send("\(method) / HTTP/1.1\r\nHost: a\r\n\r\n")
            return client
        }
    }
}
