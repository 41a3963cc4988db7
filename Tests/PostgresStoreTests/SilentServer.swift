import Foundation
import Locking
import StandIns

/// Lets clients in as PostgreSQL does, and then says nothing, as a pooler does whose pool is full.
///
/// What it says is in https://www.postgresql.org/docs/15/protocol-message-formats.html.
final class SilentServer: Sendable {
    private let socket: LoopbackSocket
    private let clients = Lock<[Int32]>([])

    init() throws {
        socket = try LoopbackSocket()
        try socket.listen(backlog: 16)
        // It keeps the server until that is stopped.
        let thread = Thread { [self] in
            while true {
                let client = accept(socket.descriptor, nil, nil)
                guard client >= 0 else { return }
                clients.withLock { $0.append(client) }
                var request = [UInt8](repeating: 0, count: 4096)
                guard read(client, &request, request.count) > 0 else { continue }
                let hello = Self.hello
                _ = write(client, hello, hello.count)
            }
        }
        thread.start()
    }

    deinit { for client in clients.withLock({ $0 }) { close(client) } }

    /// Ends it, and its thread.
    func stop() { shutdown(socket.descriptor, Int32(SHUT_RDWR)) }

    var uri: String { "postgres://u@127.0.0.1:\(socket.port)/app?sslmode=disable&gssencmode=disable" }

    /// Authentication is done, the settings that a client is told, and that it may ask.
    private static let hello: [UInt8] = {
        let settings = [
            ("server_version", "15.0"), ("in_hot_standby", "off"), ("default_transaction_read_only", "off"),
            ("client_encoding", "UTF8"), ("standard_conforming_strings", "on"),
        ]
        return message("R", [0, 0, 0, 0])
            + settings.flatMap { message("S", Array($0.utf8) + [0] + Array($1.utf8) + [0]) }
            + message("K", [0, 0, 0, 1, 0, 0, 0, 2]) + message("Z", [UInt8(ascii: "I")])
    }()

    private static func message(_ type: Unicode.Scalar, _ body: [UInt8]) -> [UInt8] {
        [UInt8(ascii: type)] + withUnsafeBytes(of: UInt32(body.count + 4).bigEndian) { Array($0) } + body
    }
}
