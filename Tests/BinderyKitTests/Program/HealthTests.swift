import Foundation
import HTTP
import Samples
import Service
import TestSupport
import Testing

@testable import BinderyKit
@testable import bindery

@Suite("bindery health")
struct HealthTests {
    /// What it complains of at a port of this machine; nil where all is well.
    private func complaint(_ port: UInt16, host: String = "127.0.0.1", patience: Double = 60) throws -> String? {
        var options = try ProgramOptions(of: Bindery.self)
        (options.server.host, options.server.port) = (host, port)
        do {
            try Health.check(options, patience: patience)
            return nil
        } catch {
            return error.description.replacing(":\(port)", with: ":PORT")
        }
    }

    @Test("a server that lives is no complaint", arguments: ["127.0.0.1", "localhost", "0.0.0.0"])
    func alive(host: String) async throws {
        var options = BinderyServer.Options()
        options.port = 0
        let server = BinderyServer(catalogue: .samples, options: options)
        let port = try server.start()
        #expect(try await onThread { try complaint(port, host: host) } == nil)
        await server.stop()
    }

    @Test("a listener for operators is asked in its place, and whether it is ready, too")
    func ready() async throws {
        var options = BinderyServer.Options()
        options.port = 0
        options.admin = BinderyServer.Options.Address(host: "127.0.0.1", port: 0)
        let server = BinderyServer(catalogue: .samples, options: options)
        _ = try server.start()
        let port = try #require(server.adminURL?.split(separator: ":").last.flatMap { UInt16($0) })
        var asked = try ProgramOptions(of: Bindery.self)
        asked.server.admin = BinderyServer.Options.Address(host: "127.0.0.1", port: port)
        // Nobody is at the other address.
        asked.server.port = 1
        for path in ["/livez", "/readyz"] {
            try await onThread { [asked] in try Health.check(asked, path: path, patience: 60) }
        }
        await server.stop()
    }

    @Test("a server that is not ready is told, with what is in the way")
    func notReady() async throws {
        let server = Server(routes: [
            Route(.get, "/readyz") { _ in Response(status: 503, body: .bytes(Array("the store".utf8))) }
        ])
        var asked = try ProgramOptions(of: Bindery.self)
        asked.server.port = try server.start()
        let failure = await #expect(throws: CommandFailure.self) {
            try await onThread { [asked] in try Health.check(asked, path: "/readyz", patience: 60) }
        }
        #expect(failure?.description.hasSuffix("answers /readyz with 503, not 200: the store") == true)
        await server.stop(within: .zero)
    }

    @Test("another status than 200 is told")
    func otherStatus() async throws {
        let server = Server(routes: [Route(.get, "/other") { _ in Response() }])
        let port = try server.start()
        #expect(
            try await onThread { try complaint(port) } == "127.0.0.1:PORT answers /livez with 404, not 200")
        await server.stop(within: .zero)
    }

    @Test("a port that nothing listens on is told")
    func refused() throws {
        try withSilentPort(isListening: false) { port in
            let told = try complaint(port)
            #expect(told == "127.0.0.1:PORT refuses the connection: nothing listens there")
        }
    }

    @Test("a server that does not answer is told")
    func silent() throws {
        try withSilentPort(isListening: true) { port in
            let told = try complaint(port, patience: 0.01)
            #expect(told == "127.0.0.1:PORT does not answer in time")
        }
    }

    @Test("a name that is no address is told")
    func noAddress() throws {
        #expect(try complaint(80, host: "example.org")?.hasPrefix("example.org:PORT cannot be asked: ") == true)
    }
}
