import CPostgres
import Glibc

/// Where the database is, as libpq reads it: `postgres://USER:PASSWORD@HOST:PORT,HOST:PORT/DATABASE?…`
/// (https://www.postgresql.org/docs/15/libpq-connect.html#LIBPQ-CONNSTRING), and what the `PG…` variables add.
struct Target: Sendable {
    private let uri: String
    /// The same without a password, for people.
    let description: String

    /// - Throws: ``PostgresStoreError`` for what libpq cannot read.
    init(_ uri: String) throws(PostgresStoreError) {
        var message: UnsafeMutablePointer<CChar>?
        let options = PQconninfoParse(uri, &message)
        defer {
            PQconninfoFree(options)
            PQfreemem(message)
        }
        guard let options else {
            // libpq's message may repeat the text, and with it the password.
            throw PostgresStoreError(
                .unreadableURI, "the store's URI is none that libpq reads: postgres://HOST/DATABASE")
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
        let ports = (values["port"] ?? "").split(separator: ",", omittingEmptySubsequences: false)
        let hosts = (values["host"] ?? values["hostaddr"] ?? "").split(separator: ",", omittingEmptySubsequences: false)
        let places = hosts.enumerated().map { index, host in
            let port = ports.count == 1 ? ports[0] : index < ports.count ? ports[index] : ""
            return port.isEmpty ? String(host) : "\(host):\(port)"
        }
        let user = values["user"].map { $0 + "@" } ?? ""
        return "postgres://\(user)\(places.joined(separator: ","))/\(values["dbname"] ?? "")"
    }

    /// Connects; whoever calls owns what comes back, also where it says that it failed.
    func connect() -> OpaquePointer {
        // What stands before `dbname` holds where the URI says nothing else; its expansion comes in its place.
        let options: [(String, String)] = [
            ("target_session_attrs", "read-write"), ("connect_timeout", "2"), ("keepalives_idle", "5"),
            ("keepalives_interval", "2"), ("keepalives_count", "3"), ("tcp_user_timeout", "10000"),
            ("fallback_application_name", "bindery"), ("dbname", uri),
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
