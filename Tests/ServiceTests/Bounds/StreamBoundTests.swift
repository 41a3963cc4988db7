import TestSupport
import Testing
import ViewModels

@testable import Service

@Suite("The streams that one may have open")
struct StreamBoundTests {
    @Test("one more of a token is 429 at once; polls, others' streams and one in its place are let in")
    func ofToken() async throws {
        try await withService {
            $0.service.streamsPerToken = 2
        } _: { service in
            let (mine, other) = (
                "Authorization: Bearer \(try await service.begin())",
                "Authorization: Bearer \(try await service.begin())"
            )
            let streams = [try await service.stream("", mine), try await service.stream("", mine)]
            for stream in streams { try await stream.opened() }
            let third = ["Accept: text/event-stream", mine]
            let answer = try await service.ask("GET", "/changes", third)
            try expect(answer, isProblem: "too-many-streams", 429)
            #expect(try await service.get("/changes?wait=0", mine).status == 200)
            let others = try await service.stream("", other)
            try await others.opened()
            streams[0].client.raw.close()
            let isFree = await eventually { service.server.service.streamPlaces.open == 2 }
            #expect(isFree)
            let another = try await service.stream("", mine)
            try await another.opened()
            withExtendedLifetime((streams, others, another)) {}
        }
    }

    @Test("in the public session each network has so many, and this machine's clients any number")
    func ofPublicSession() async throws {
        try await withService {
            $0.service.streamsPerToken = 1
            $0.trustedProxies = .loopback
        } _: { service in
            let first = try await service.stream("", "X-Forwarded-For: 203.0.113.7")
            try await first.opened()
            let second = ["Accept: text/event-stream", "X-Forwarded-For: 203.0.113.7"]
            try expect(try await service.ask("GET", "/changes", second), isProblem: "too-many-streams", 429)
            let others = try await service.stream("", "X-Forwarded-For: 203.0.113.8")
            try await others.opened()
            withExtendedLifetime((first, others)) {}
        }
        try await withService {
            $0.service.streamsPerToken = 1
        } _: { service in
            let streams = [try await service.stream(), try await service.stream(), try await service.stream()]
            for stream in streams { try await stream.opened() }
        }
    }

    @Test("a HEAD opens no stream, and a stream that is over has given its place back")
    func givenBack() async throws {
        try await withService {
            $0.service.streamsPerToken = 1
        } _: { service in
            let token = try await service.begin()
            let bearer = "Authorization: Bearer \(token)"
            for _ in 0..<3 {
                let answer = try await service.ask("HEAD", "/changes", ["Accept: text/event-stream", bearer])
                #expect(answer.status == 200)
            }
            let stream = try await service.stream("", bearer)
            try await stream.opened()
            _ = try await service.delete("/session", bearer)
            while try await stream.next() != nil {}
            let isEmpty = await eventually { service.server.service.streamPlaces.open == 0 }
            #expect(isEmpty)
        }
    }
}
