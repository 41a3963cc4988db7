import Glibc
import TestSupport
import Testing
import ViewModels

@Suite("The drain's delay", .timeLimit(.minutes(5)))
struct DrainDelayTests {
    @Test("readyz is 503 for as long while everything else is served on, each answer the last of its connection")
    func delay() async throws {
        try await withService {
            $0.drainDelay = .seconds(5)
        } _: { service in
            let cursor = try await service.cursor()
            let kept = try await service.connect()
            let before = try await kept.ask("GET", "/livez")
            #expect(before["Connection"] == nil)
            let waiting = try await service.poll("since=\(cursor)")
            await service.waits(1)
            async let stopped: Void = service.server.stop()
            try await service.timeline.sleeper(until: .seconds(5))
            try expect(try await kept.get("/readyz"), isProblem: "draining", 503)
            // Who is told so now is not cut off in the end.
            #expect(try await kept.isClosed())
            for (method, path, status) in [
                ("GET", "/livez", 200), ("POST", "/sessions", 201), ("GET", "/counter", 200),
                ("GET", "/changes?wait=0", 200),
            ] {
                let answer = try await service.ask(method, path)
                #expect(answer.status == status, "\(path)")
                #expect(answer["Connection"] == "close")
            }
            #expect(service.waiting() == 1)
            #expect(!service.isDraining)
            let acted = try await service.post("/counter/increment")
            #expect(acted.status == 200)
            #expect(try await waiting.answer().json()["kind"] == "delta")
            // Who comes anew is still let in.
            #expect(try await service.get("/counter").json()["text"] == "1")
            service.timeline.advance(by: .seconds(5))
            await stopped
        }
    }

    @Test("when it is over, whoever waits is answered as in any drain")
    func afterwards() async throws {
        try await withService {
            $0.drainDelay = .seconds(5)
        } _: { service in
            let waiting = try await service.poll("since=\(try await service.cursor())")
            await service.waits(1)
            async let stopped: Void = service.server.stop()
            try await service.timeline.sleeper(until: .seconds(5))
            service.timeline.advance(by: .seconds(5))
            let answer = try await waiting.answer()
            #expect(answer["Connection"] == "close")
            #expect(try answer.json()["retryAfter"] != nil)
            await stopped
        }
    }

    @Test("on a socket that stays whoever comes meanwhile is served, and who comes later left to the next process")
    func handedOver() async throws {
        let kept = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue), 0)
        defer { close(kept) }
        #expect(listen(kept, 16) == 0)
        try await withService {
            $0.drainDelay = .seconds(5)
            $0.socket = dup(kept)
        } _: { service in
            async let stopped: Void = service.server.stop()
            try await service.timeline.sleeper(until: .seconds(5))
            // For longer than the listener may take to see a sign.
            let seen = ContinuousClock.now + .milliseconds(200)
            while ContinuousClock.now < seen {
                try expect(try await service.get("/readyz"), isProblem: "draining", 503)
            }
            #expect(try await service.post("/counter/increment").status == 200)
            service.timeline.advance(by: .seconds(5))
            try await service.timeline.sleeper(until: .milliseconds(5250))
            service.timeline.advance(by: .milliseconds(250))
            await stopped
            #expect(accept(kept, nil, nil) == -1 && errno == EAGAIN)
            _ = try await service.connect()
            let next = accept(kept, nil, nil)
            #expect(next >= 0)
            close(next)
        }
    }

    @Test("it is within the time of a stop, and a second stop does not wait for it")
    func bounded() async throws {
        try await withService {
            $0.drainDelay = .seconds(60)
        } _: { service in
            async let stopped: Void = service.server.stop()
            try await service.timeline.sleeper(until: .seconds(8))
            await service.server.stop()
            service.timeline.advance(by: .seconds(8))
            await stopped
        }
    }
}
