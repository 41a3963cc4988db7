import CPostgres
import Glibc

/// The database's address, as libpq reads it: `postgres://USER:PASSWORD@HOST:PORT,HOST:PORT/DATABASE?…`
/// (https://www.postgresql.org/docs/15/libpq-connect.html#LIBPQ-CONNSTRING), with the `PG…` variables of the environment.
struct Target: Sendable {
    private let uri: String
    /// The address without a password, for the operator.
    let description: String

    /// Checks a URI.
    ///
    /// - Throws: ``PostgresStoreError`` for a URI that libpq cannot read.
    init(_ uri: String) throws(PostgresStoreError) {
        var message: UnsafeMutablePointer<CChar>?
        let options = PQconninfoParse(uri, &message)
        defer {
            PQconninfoFree(options)
            PQfreemem(message)
        }
        guard let options else {
            // libpq's message may repeat the text, and with it the password.
            throw PostgresStoreError("libpq cannot read the store's URI: write postgres://HOST/DATABASE")
        }
        self.uri = uri
        description = Self.description(options)
    }

    private static func description(_ options: UnsafeMutablePointer<PQconninfoOption>) -> String {
        var values: [String: String] = [:]
        var option = options
        while let keyword = option.pointee.keyword {
            values[String(cString: keyword)] = option.pointee.val.map { String(cString: $0) }
            option += 1
        }
        let host = values["host"] ?? values["hostaddr"] ?? ""
        let port = values["port"].map { ":\($0)" } ?? ""
        let user = values["user"].map { "\($0)@" } ?? ""
        return "postgres://\(user)\(host)\(port)/\(values["dbname"] ?? "")"
    }

    /// Connects to the first host that accepts writes; the caller owns the handle, also after a failure.
    ///
    /// `connect_timeout` bounds the wait for each host, with the login: two seconds unless the URI sets it. The keepalives
    /// detect a host that vanished; they are options of this machine's socket.
    func connect() -> OpaquePointer {
        // `dbname` has the URI, which overrides the options before it.
        let options: [(String, String)] = [
            ("target_session_attrs", "read-write"), ("connect_timeout", "2"), ("keepalives_idle", "5"),
            ("keepalives_interval", "2"), ("keepalives_count", "3"), ("tcp_user_timeout", "10000"),
            ("client_encoding", "UTF8"), ("fallback_application_name", "bindery"), ("dbname", uri),
        ]
        let keywords = options.map { strdup($0.0) } + [nil]
        let values = options.map { strdup($0.1) } + [nil]
        defer { for text in keywords + values { free(text) } }
        let handle = keywords.map { UnsafePointer($0) }.withUnsafeBufferPointer { keywords in
            values.map { UnsafePointer($0) }.withUnsafeBufferPointer { values in
                PQconnectdbParams(keywords.baseAddress, values.baseAddress, 1)
            }
        }
        guard let handle else { fatalError("there is no memory for a connection") }
        return handle
    }
}

/// Why a store does not open, in one line for the operator; it never contains a password.
package struct PostgresStoreError: Error, Equatable, CustomStringConvertible {
    /// The error, in one line.
    package let description: String

    init(_ description: String) { self.description = description }

    init(_ target: Target, _ failure: PostgresFailure) { self.init("\(target.description): \(failure.message)") }
}
