#if canImport(FoundationNetworking)
    import Foundation
    import TestSupport
    import Testing

    @testable import BinderyClient

    @Suite("What waits, waits on a connection that has answered before: Foundation spins on another on Linux")
    struct WaitingTests {
        let server: WireServer
        let timeline = ManualTimeline()
        let session: RemoteSession

        init() throws {
            server = try WireServer()
            session = BinderyClient(server.url, by: timeline).session(token: "secret")
        }

        private func following(_ carrier: RemoteChanges.Carrier) -> Task<Void, any Error> {
            Task { [session] in for try await _ in session.changes(over: carrier) {} }
        }

        private func end(_ following: Task<Void, any Error>) async {
            following.cancel()
            await #expect(throws: CancellationError.self) { try await following.value }
        }

        /// A connection on which the small request came first, without a token, and was answered.
        private func opened() async throws -> WireServer.Connection {
            let line = try await server.accept(isOpened: false)
            try #require(line.isOpening && line.field("Authorization") == nil)
            line.answerOn("200 OK", "application/json", length: 18)
            try await line.next()
            return line
        }

        /// Moves the time on by the client's next pause.
        private func pause() async {
            var pause: Duration?
            _ = await eventually {
                pause = timeline.sleepers.first { $0 <= timeline.now + .seconds(2) }
                return pause != nil
            }
            if let pause { timeline.advance(by: pause - timeline.now) }
        }

        private let idle = #"{"kind":"idle","cursor":"k3.1","changes":[]}"#

        @Test("a stream does, and so does the next one after a lost connection")
        func streams() async throws {
            let following = following(.stream)
            for _ in 0..<2 {
                let line = try await opened()
                #expect(line.request.hasPrefix("GET /changes HTTP/1.1\r\n"))
                #expect(line.field("Accept") == "text/event-stream")
                line.beginEvents()
                line.finish()
                #expect(try await line.isClosed())
                await pause()
            }
            await end(following)
        }

        @Test("a poll does; those after it go over the same connection, and ask for nothing beside")
        func polls() async throws {
            let following = following(.polls)
            let line = try await opened()
            for _ in 0..<3 {
                #expect(line.request.hasPrefix("GET /changes?"))
                line.answerOn("200 OK", "application/json", idle)
                try await line.next()
            }
            #expect(line.request.hasPrefix("GET /changes?since=k3.1&wait=25 HTTP/1.1\r\n") && server.isDeserted)
            await end(following)
        }

        @Test("a poll does after one whose answer ended its connection")
        func closed() async throws {
            let following = following(.polls)
            for _ in 0..<3 {
                let line = try await opened()
                #expect(line.request.hasPrefix("GET /changes?"))
                line.answer("200 OK", "application/json", idle)
            }
            await end(following)
        }

        @Test("a connection that nobody has used for a while is not used again")
        func aged() async throws {
            let first = Task { [session] in try await session.poll() }
            let line = try await opened()
            line.answerOn("200 OK", "application/json", idle)
            #expect(try await first.value.kind == .idle)
            timeline.advance(by: WaitingConnections.keeping)
            let second = Task { [session] in try await session.poll() }
            #expect(try await line.isClosed())
            try await opened().answer("200 OK", "application/json", idle)
            #expect(try await second.value.kind == .idle)
        }

        @Test("two that wait have a connection each, which answered before")
        func two() async throws {
            let polls = (0..<2).map { _ in Task { [session] in try await session.poll() } }
            let lines = [try await opened(), try await opened()]
            for line in lines { line.answerOn("200 OK", "application/json", idle) }
            for poll in polls { #expect(try await poll.value.kind == .idle) }
            #expect(server.isDeserted)
        }

        @Test("whatever becomes of the small request, what waits is asked for")
        func refused() async throws {
            let poll = Task { [session] in try await session.poll() }
            try await server.accept(isOpened: false).finish()
            try await server.accept(isOpened: false).answer("200 OK", "application/json", idle)
            #expect(try await poll.value.kind == .idle)
        }

        @Test("a small request without an answer holds nothing up for longer than its time")
        func silent() async throws {
            let poll = Task { [session] in try await session.poll() }
            let line = try await server.accept(isOpened: false)
            try await timeline.sleeper(until: WaitingConnections.opening)
            timeline.advance(by: WaitingConnections.opening)
            try await server.accept(isOpened: false).answer("200 OK", "application/json", idle)
            #expect(try await poll.value.kind == .idle)
            #expect(try await line.isClosed())
        }

        @Test("where nobody listens, the error is of what was asked for")
        func unreachable() async throws {
            try await withNobodyListening { url in
                let client = BinderyClient(url, by: timeline)
                let failure = await #expect(throws: RemoteFailure.self) { try await client.publicSession.poll() }
                #expect(failure?.code == .connectionLost && failure?.description.hasPrefix("GET /changes: ") == true)
            }
        }
    }
#endif
