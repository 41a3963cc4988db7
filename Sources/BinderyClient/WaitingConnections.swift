import Foundation
import Locking

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// The connections on which polls and streams wait.
///
/// On Linux, each has answered a request before. Foundation there goes on watching a socket for writing once it has connected on it, and a
/// socket that is connected can nearly always be written to: it wakes up 2,000 times a second, half a core or more, for as long as the request
/// waits (Swift 6.3; `createWriteSource` in swift-corelibs-foundation's MultiHandle.swift is undone only when libcurl has no more interest in
/// the socket, as between two requests). On a connection that is used again it watches for reading alone. So what waits first asks something
/// small on a new connection, in a URLSession of its own, in which no other request can take the connection from it.
final class WaitingConnections: Sendable {
    #if canImport(FoundationNetworking)
        /// How long a connection is used again, after an answer: servers and proxies close idle ones, after 5 s and more.
        static let keeping = Duration.seconds(5)
        /// How long the small answer is waited for.
        ///
        /// A proxy may have none: what waits is asked for all the same.
        static let opening = Duration.seconds(10)

        private struct Kept: Sendable {
            let connections: Connections
            let age: @Sendable () -> Duration
        }

        private let clock: any Clock<Duration>
        private let kept = Lock<[Kept]>([])

        init(clock: any Clock<Duration>) { self.clock = clock }

        /// Connections over which one request may wait.
        ///
        /// - Parameter open: asks something small over new connections, and waits so long for its answer.
        /// - Throws: ``RemoteFailure`` where nobody can be reached; `CancellationError`.
        func connections(
            for request: URLRequest, open: (Connections, Duration) async throws -> Void
        ) async throws -> Connections {
            if let kept = take() { return kept }
            let connections = Connections(most: 6)
            do { try await open(connections, Self.opening) } catch let failure as RemoteFailure {
                guard failure.isUnreachable else { return connections }
                throw RemoteFailure.lost(request, failure.cause)
            }
            return connections
        }

        /// Keeps connections for the next request that waits, after an answer that has left theirs open.
        func keep(_ connections: Connections) {
            kept.withLock { [clock] in $0.append(Kept(connections: connections, age: clock.stopwatch())) }
        }

        /// The ones that were kept last.
        private func take() -> Connections? {
            // Those that are too old are released after unlocking.
            let (latest, _) = kept.withLock { kept in
                let all = kept
                kept = kept.filter { $0.age() < Self.keeping }
                return (kept.popLast(), all)
            }
            return latest?.connections
        }
    #else
        private let shared = Connections(most: 1024)

        init(clock: any Clock<Duration>) {}

        func connections(
            for request: URLRequest, open: (Connections, Duration) async throws -> Void
        ) async throws -> Connections { shared }

        func keep(_ connections: Connections) {}
    #endif
}
