import Entities
import HTTP
import Samples
import TestSupport
import Testing
import ViewModels

@testable import Service

/// A server on a free port, which ends with the test.
struct TestServer {
    let server: BinderyServer
    let log: RecordingLog
    let port: UInt16

    /// Runs a test with a server.
    static func run(
        _ viewModels: [Declaration] = .samples + .tried, languages: Languages = Languages(.japanese, .english),
        store: (any EntityStore)? = nil, timer: (any Timing)? = nil,
        options change: (inout BinderyServer.Options) -> Void = { _ in },
        _ test: (TestServer) async throws -> Void
    ) async throws {
        // It stands still, so that no wait ends by itself on a slow machine.
        let timer = timer ?? ManualTime()
        var options = BinderyServer.Options()
        options.port = 0
        options.server.threads = 1
        change(&options)
        let log = RecordingLog()
        let server = try BinderyServer(
            viewModels: viewModels, languages: languages, options: options, log: log, timer: timer
        ) { _ in store ?? MemoryStore { timer.now } }
        let tested = TestServer(server: server, log: log, port: try server.start())
        do { try await test(tested) } catch {
            await server.stop()
            throw error
        }
        await server.stop()
    }

    /// One request on a connection of its own, and its answer.
    func ask(_ method: String, _ path: String, _ fields: String..., body: String? = nil) async throws -> Reply {
        try await ask(method, path, fields, body: body)
    }

    func ask(_ method: String, _ path: String, _ fields: [String], body: String? = nil) async throws -> Reply {
        let connection = try Connection(port)
        try connection.send(method, path, fields + ["Connection: close"], body: body)
        return try await connection.reply(to: method)
    }

    /// Begins a private session; returns its `Authorization` field.
    func begin(_ fields: String...) async throws -> String {
        "Authorization: Bearer \(try await ask("POST", "/sessions", fields).string("token"))"
    }

    /// The entity of a caller.
    func entity(_ authorization: String? = nil) async throws -> Entity {
        let token = authorization.flatMap { SessionToken($0.split(separator: " ")[2]) }
        let found = await withCheckedContinuation { done in
            server.registry.find(token?.entityID ?? .publicSession) { done.resume(returning: $0) }
        }
        guard case .success(let session) = found else { throw Missing() }
        return session
    }

    /// Returns when that many wait on an entity.
    func waits(_ count: Int, on id: EntityID) async throws {
        let found = await withCheckedContinuation { done in
            server.registry.find(id) { done.resume(returning: $0) }
        }
        guard case .success(let session) = found else { throw Missing() }
        while session.waitCount < count { await Task.yield() }
    }

    /// Returns when somebody waits on the caller's entity.
    func someoneWaits(_ authorization: String? = nil) async throws {
        let entity = try await entity(authorization)
        #expect(await eventually { entity.waitCount > 0 })
    }
}

struct Missing: Error {}
