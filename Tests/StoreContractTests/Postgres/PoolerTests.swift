import Entities
import Foundation
import TestSupport
import Testing

@testable import PostgresStore

/// Protects that a store needs no state of its connections.
@Suite("Behind a transaction pooler")
struct PoolerTests {
    @Test("a store works, and hears hints over the direct URI")
    func pooled() async throws {
        let server = try await PostgresServer.started()
        let pooler = try Pooler(of: server)
        defer { pooler.stop() }
        try await onOwnThread {
            var settings = PostgresStore.Settings()
            settings.directURI = server.uri()
            // PgBouncer says no word when it is ready.
            #expect(await eventually { (try? Connection(Target(pooler.uri))) != nil })
            let one = try PostgresStore(uri: pooler.uri, settings: settings)
            let other = try PostgresStore(uri: pooler.uri, settings: settings)
            let told = History<EntityID?>()
            other.observe { told.append($0) }
            var line = Line.session()
            #expect(await one.stored(line.begin()) == "stored")
            for number in 0..<50 {
                #expect(await one.stored(line.next("\(number)", key: .named("\(number)"))) == "stored")
                #expect(await other.head(of: line.id) == .found(line.state.head))
                #expect(await other.key("\(number)", in: line.id).hasPrefix("200"))
            }
            #expect(await eventually { told.all.contains(line.id) })
            await one.closed()
            await other.closed()
        }
    }
}

/// PgBouncer before a server, with two connections for all its clients, each used in turn.
private final class Pooler {
    let uri: String
    private let child: Child

    init(of server: PostgresServer) throws {
        let place = server.directory + "/pooler"
        uri = "postgres:///postgres?host=\(place)&port=6432&user=postgres&connect_timeout=30"
        // PgBouncer refuses to run as root, as the server does.
        let script = """
            set -eu
            export PATH="$PATH:/usr/sbin"
            mkdir "$1"
            printf '%s\\n' '[databases]' "postgres = host=$2 user=postgres" '[pgbouncer]' 'listen_addr =' \
                "unix_socket_dir = $1" 'auth_type = any' 'pool_mode = transaction' 'server_round_robin = 1' \
                'default_pool_size = 2' >"$1/ini"
            as=()
            if ((EUID == 0)); then
                chown -R postgres "$1"
                as=(setpriv --reuid=postgres --regid=postgres --clear-groups)
            fi
            exec "${as[@]}" pgbouncer -q "$1/ini"
            """
        child = try Child("/bin/bash", ["-c", script, "-", place, server.directory])
    }

    func stop() { child.kill() }
}
