import Binding
import Foundation
import Locking
import TestSupport
import Testing
import ViewModels

@testable import Samples
@testable import Service

/// Protects streams, and that views in process see what clients see.
@Suite("Streams, and the session's NotificationCenter")
struct StreamTests {
    static let accept = "Accept: text/event-stream"

    private func open(
        _ path: String, _ fields: String..., at server: TestServer
    ) async throws -> (head: Reply, connection: Connection) {
        let connection = try Connection(server.port)
        try connection.send("GET", path, fields + [Self.accept])
        return (try await connection.reply(), connection)
    }

    @Test("A stream begins with a snapshot, and goes on with what changes")
    func changes() async throws {
        try await TestServer.run { server in
            let (head, stream) = try await open("/changes?topics=counter", at: server)
            #expect(head["content-type"]?.hasPrefix("text/event-stream") == true)
            #expect(head["cache-control"] == "no-store, no-transform" && head["x-accel-buffering"] == "no")
            let first = try await stream.event()
            #expect(first.name == "snapshot" && first.data.contains(#""reason":"initial""#))
            for seq in 1...2 {
                _ = try await server.ask("POST", "/counter/increment")
                let event = try await stream.event()
                #expect(event.name == "delta" && event.data.contains(#""seq":\#(seq),"viewModel":"counter""#))
                #expect(try await server.ask("GET", "/session").string("cursor") == event.id)
            }
        }
    }

    @Test("Last-Event-ID wins over since; with nothing new a stream begins with a ping")
    func resumes() async throws {
        try await TestServer.run { server in
            let old = try await server.ask("GET", "/session").string("cursor")
            _ = try await server.ask("POST", "/counter/increment")
            let new = try await server.ask("GET", "/session").string("cursor")
            let (_, late) = try await open("/changes?since=\(old)", "Last-Event-ID: \(new)", at: server)
            let ping = try await late.event()
            #expect(ping.name == "ping" && ping.id == new && ping.data == "{}")
            let (_, early) = try await open("/changes?since=\(old)", at: server)
            #expect(try await early.event().name == "delta")
        }
    }

    @Test("A silent stream sends a ping every 15 s, and ends after 5 to 10 minutes")
    func pings() async throws {
        let timer = ManualTime()
        try await TestServer.run(timer: timer) { server in
            let (_, stream) = try await open("/changes", at: server)
            let first = try await stream.event()
            var pings = 0
            while true {
                #expect(
                    try await eventually {
                        try await server.entity().waitCount > 0 || server.server.service.openStreams.count == 0
                    })
                guard server.server.service.openStreams.count > 0 else { break }
                timer.advance(by: .seconds(15.1))
                pings += 1
            }
            #expect((20...41).contains(pings))
            for _ in 0..<pings {
                let ping = try await stream.event()
                #expect(ping.name == "ping" && ping.id == first.id)
            }
        }
    }

    @Test("The end of the session is the last event of its streams")
    func ended() async throws {
        try await TestServer.run { server in
            let session = try await server.begin()
            let (_, stream) = try await open("/changes", session, at: server)
            _ = try await stream.event()
            _ = try await server.ask("DELETE", "/session", session)
            #expect(try await stream.event().name == "session-ended")
        }
    }

    @Test("A token has a bounded number of streams; a client that goes away frees its place")
    func bound() async throws {
        try await TestServer.run(options: { $0.sessions.streamsPerSession = 1 }) { server in
            let session = try await server.begin()
            var kept: Connection? = try await open("/changes", session, at: server).connection
            _ = try await kept?.event()
            let reply = try await server.ask("GET", "/changes", session, Self.accept)
            #expect(reply.status == 429 && reply.problem == "too-many-streams")
            kept = nil
            #expect(await eventually { server.server.service.openStreams.count == 0 })
            #expect(try await open("/changes", session, at: server).head.status == 200)
        }
    }

    @Test("A HEAD of a stream has no events, and a client that likes JSON better gets JSON")
    func negotiates() async throws {
        try await TestServer.run { server in
            let head = try await server.ask("HEAD", "/changes", Self.accept)
            #expect(head.status == 200 && head["content-type"]?.hasPrefix("text/event-stream") == true)
            for accept in ["*/*", "application/json, text/event-stream;q=0.5", "text/event-stream;q=0"] {
                #expect(
                    try await server.ask("GET", "/changes", "Accept: \(accept)")["content-type"] == "application/json")
            }
        }
    }

    @Test("An observer in process, a poll and a stream are told of the same commit")
    func together() async throws {
        try await TestServer.run { server in
            let session = try await server.begin()
            let cursor = try await server.ask("GET", "/session", session).string("cursor")
            let host = try await server.server.session(String(session.split(separator: " ")[2]))
            let told = Lock<[UInt64]>([])
            // Safe: the observer is used for nothing but its removal.
            nonisolated(unsafe) let observer = host.center.addObserver(
                forName: Notification.Name("counter.text"), object: nil, queue: nil
            ) { notification in
                if let seq = notification.userInfo?["seq"] as? UInt64 { told.withLock { $0.append(seq) } }
            }
            let (_, stream) = try await open("/changes?since=\(cursor)", session, at: server)
            #expect(try await stream.event().name == "ping")
            let poll = try Connection(server.port)
            try poll.send("GET", "/changes?since=\(cursor)", [session])
            #expect(await eventually { server.server.server.gauges.parked == 2 })

            _ = try await server.ask("POST", "/counter/increment", session)
            #expect(told.withLock { $0 } == [1])
            let (event, reply) = try await (stream.event(), poll.reply())
            #expect(try event.data == reply.text && event.id == reply.string("cursor"))
            host.center.removeObserver(observer)
        }
    }

    @Test("A constant of a host's session follows the view model, a value's property or an object's Variable")
    func constants() async throws {
        try await TestServer.run { server in
            let host = try await server.server.session()
            let (text, object) = (host.constant(of: \Counter.text), host.constant(of: \CounterObject.text))
            #expect(text.value == "0" && object.value == "0")
            _ = try await server.ask("POST", "/counter/increment")
            _ = try await server.ask("POST", "/counter-object/increment")
            #expect(text.value == "1" && object.value == "1")
            await #expect(throws: SessionUnavailable(slug: "session-unknown")) {
                try await server.server.session("AAAAAAAAAAAAAAAAAAAAAA")
            }
        }
    }
}
