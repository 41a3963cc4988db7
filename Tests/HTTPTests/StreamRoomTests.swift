import Testing

@testable import HTTP

@Suite("The room of a stream")
struct StreamRoomTests {
    /// A continuation is only to be had inside a wait.
    private func wait(
        _ body: (CheckedContinuation<Void, any Error>) -> Void
    ) async -> Result<Void, any Error> {
        do {
            return .success(try await withCheckedThrowingContinuation(body))
        } catch {
            return .failure(error)
        }
    }

    @Test("a writer waits until there is room")
    func waits() async throws {
        var room = StreamRoom()
        let ticket = room.takeTicket()
        let result = await wait { writer in
            #expect(room.wait(writer, ticket: ticket, since: room.drains) == .waits)
            for writer in room.drain() { writer.resume() }
        }
        try result.get()
    }

    @Test("a writer that saw a full stream before it drained goes on")
    func goesOn() async throws {
        var room = StreamRoom()
        let seen = room.drains
        #expect(room.drain().isEmpty)
        let ticket = room.takeTicket()
        let result = await wait { writer in
            #expect(room.wait(writer, ticket: ticket, since: seen) == .goesOn)
            writer.resume()
        }
        try result.get()
    }

    @Test("a writer that was cancelled before it waits does not")
    func cancelledEarly() async {
        var room = StreamRoom()
        let ticket = room.takeTicket()
        #expect(room.cancel(ticket) == nil)
        let result = await wait { writer in
            #expect(room.wait(writer, ticket: ticket, since: room.drains) == .isCancelled)
            writer.resume(throwing: CancellationError())
        }
        #expect(throws: CancellationError.self) { try result.get() }
    }

    @Test("a writer that is cancelled while it waits is handed out once")
    func cancelledLate() async {
        var room = StreamRoom()
        let ticket = room.takeTicket()
        let result = await wait { writer in
            #expect(room.wait(writer, ticket: ticket, since: room.drains) == .waits)
            room.cancel(ticket)?.resume(throwing: CancellationError())
            #expect(room.drain().isEmpty)
            #expect(room.close().isEmpty)
        }
        #expect(throws: CancellationError.self) { try result.get() }
    }

    @Test("nobody waits for a closed stream")
    func closed() async {
        var room = StreamRoom()
        #expect(room.close().isEmpty)
        let ticket = room.takeTicket()
        let result = await wait { writer in
            #expect(room.wait(writer, ticket: ticket, since: room.drains) == .fails)
            writer.resume(throwing: EventStream.Closed())
        }
        #expect(throws: EventStream.Closed.self) { try result.get() }
    }
}
