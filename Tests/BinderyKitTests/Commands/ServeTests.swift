import BinderyTesting
import Foundation
import Service
import Testing

@testable import BinderyKit
@testable import bindery

/// Protects what service managers and containers ask of a server.
@Suite("A served program, and the commands that ask it")
struct ServeTests {
    @Test("health is content with a server that lives and is ready")
    func healthy() async throws {
        try await withServer(Errands.self) { server in
            let port = UInt16(try #require(server.url.port))
            for path in ["/livez", "/readyz"] { try Command.ask(.init(host: "0.0.0.0", port: port), path) }
            let words = ["health", "--ready", "--port", "\(port)"]
            #expect(await complaint { try await Errands.run(words, [:]) } == nil)
            server.faults.isStoreAway = true
            let said = await complaint { try await Errands.run(words, [:]) }
            #expect(said?.hasPrefix("127.0.0.1:\(port)/readyz answers 503") == true)
        }
    }

    @Test("health says that nothing listens")
    func nobody() async throws {
        let server = try TestServer(viewModels: Errands.viewModels)
        let port = try #require(server.url.port)
        await server.stop()
        let said = await complaint { try await Errands.run(["health", "--port", "\(port)"], [:]) }
        #expect(said == "127.0.0.1:\(port) cannot be reached: Connection refused")
    }

    @Test("a service manager is told by a datagram, and its socket may be abstract")
    func notify() throws {
        let name = "bindery-\(UUID())"
        let socket = Glibc.socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue), 0)
        defer { close(socket) }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: [0] + Array(name.utf8)) }
        let isBound = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(socket, $0, socklen_t(MemoryLayout<sa_family_t>.size + 1 + name.utf8.count)) == 0
            }
        }
        try #require(isBound)
        ServiceManager(["NOTIFY_SOCKET": "@\(name)"]).tell("READY=1")
        var heard = [UInt8](repeating: 0, count: 64)
        let count = recv(socket, &heard, heard.count, 0)
        #expect(String(decoding: heard.prefix(max(0, count)), as: UTF8.self) == "READY=1")
    }
}
