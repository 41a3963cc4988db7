import CPostgres
import Foundation
import Locking

/// A PostgreSQL server for the tests of this process, with its own directory and socket.
///
/// It ends with the process, even after a crash.
package final class PostgresServer: Sendable {
    /// The shared server; the first access starts it.
    package static let shared = Result { try PostgresServer() }

    /// Limits the stores on the shared server, because each has several connections and the server allows 400.
    package static let turns = Turns(20)

    /// The directory of the server and its socket.
    package let directory: String
    /// The shell that runs the server; when its input closes, because this process has ended, it stops the server.
    private let keeper: Lock<Child>

    /// Starts a separate server, for a test that stops it or changes its settings.
    package init(_ settings: [String] = []) throws {
        let home = FileManager.default.temporaryDirectory.appendingPathComponent(
            "bindery-postgres-\(UUID().uuidString)")
        directory = home.path
        let arguments = ["-c", Self.script, "-", directory] + settings.flatMap { ["-c", $0] }
        keeper = Lock(try Child("/bin/bash", arguments))
        try hear("ready")
    }

    /// Starts a separate server without blocking a thread of the pool.
    package static func started() async throws -> PostgresServer { try await onThread { try PostgresServer() } }

    /// Waits for the shared server.
    package static func ready() async throws -> PostgresServer { try await onThread { try shared.get() } }

    deinit { _ = keeper.withLock { $0.wait() } }

    /// Stops the server at once, as in a crash; all its connections end.
    package func stop() throws {
        try tell("stop", andHear: "stopped")
    }

    /// Starts the server again.
    package func start() throws {
        try tell("start", andHear: "ready")
    }

    private func tell(_ order: String, andHear word: String) throws {
        try keeper.withLock { try $0.tell(order) }
        try hear(word)
    }

    private func hear(_ word: String) throws {
        guard keeper.withLock({ $0.line() }) == word else { throw Unavailable() }
    }

    /// The server did not start, or refused a statement.
    package struct Unavailable: Error, CustomStringConvertible {
        package let description = "PostgreSQL does not start; script/bootstrap --test installs it"
    }

    /// The URI of a database; its timeout is long, because on a busy machine the server accepts clients slowly.
    package func uri(user: String = "postgres", database: String = "postgres") -> String {
        "postgres:///\(database)?host=\(directory)&user=\(user)&connect_timeout=30"
    }

    /// A name for a schema; another directory gets another name.
    package static func schema(for directory: String) -> String {
        "t" + directory.lowercased().suffix(48).map { $0.isASCII && ($0.isLetter || $0.isNumber) ? $0 : "_" }
    }

    /// Runs SQL as the superuser.
    ///
    /// - Returns: a line for each row, with `|` between columns.
    @discardableResult
    package func run(_ sql: String) throws -> String {
        let connection = PQconnectdb(uri())
        defer { PQfinish(connection) }
        let result = PQexec(connection, sql)
        defer { PQclear(result) }
        guard [PGRES_COMMAND_OK, PGRES_TUPLES_OK].contains(PQresultStatus(result)) else { throw Unavailable() }
        return (0..<PQntuples(result)).map { row in
            (0..<PQnfields(result)).map { String(cString: PQgetvalue(result, row, $0)) }.joined(separator: "|")
        }.joined(separator: "\n")
    }

    /// PostgreSQL refuses to run as root, so for root the script runs it as Debian's `postgres`.
    private static let script = """
        set -eu
        bin=$(ls -d /usr/lib/postgresql/*/bin | sort -V | tail -n 1)
        mkdir -p "$1"
        as=()
        if ((EUID == 0)); then
            chown postgres "$1"
            as=(setpriv --reuid=postgres --regid=postgres --clear-groups)
        fi
        cd "$1"
        "${as[@]}" "$bin/initdb" -D "$1/data" -U postgres -A trust --no-sync --no-locale -E UTF8 >"/dev/null" 2>&1
        start() {
            "${as[@]}" "$bin/postgres" -D "$home/data" -k "$home" -c listen_addresses= -c fsync=off -c max_connections=400 \
                -c logging_collector=off -c shared_buffers=64MB "$@" </dev/null >/dev/null 2>&1 &
            server=$!
            for _ in $(seq 300); do
                if "$bin/pg_isready" -q -h "$home" -U postgres; then echo ready; return; fi
                sleep 0.1
            done
            echo late
        }
        home=$1
        shift
        start "$@"
        while read -r command; do
            case $command in
                stop) kill -QUIT "$server"; wait "$server" || true; echo stopped ;;
                start) start "$@" ;;
            esac
        done
        kill -QUIT "$server" || true
        wait "$server" || true
        rm -rf "$home"
        """
}
