import CPostgres
import Sessions
import StoreParts
import ViewModels

/// What a statement came to: rows of columns in the binary format.
final class Answer {
    private let result: OpaquePointer?

    /// Takes over what libpq gave; it is freed with this.
    init(_ result: OpaquePointer?) { self.result = result }

    deinit { PQclear(result) }

    /// Why the statement failed; nil where it did not.
    var failure: PostgresFailure? {
        switch PQresultStatus(result) {
        case PGRES_COMMAND_OK, PGRES_TUPLES_OK, PGRES_EMPTY_QUERY: nil
        default:
            PostgresFailure(
                field("V") == "FATAL" || field("V") == "PANIC" ? .lost : .refused, state: field("C"),
                message: field("M") ?? String(cString: PQresultErrorMessage(result)))
        }
    }

    /// How many rows there are.
    var count: Int { Int(PQntuples(result)) }

    /// Whether a column has no value.
    func isNull(_ row: Int, _ column: Int32) -> Bool { PQgetisnull(result, Int32(row), column) == 1 }

    /// The bytes of a column: none where it has no value.
    func bytes(_ row: Int, _ column: Int32) -> [UInt8] {
        guard let value = PQgetvalue(result, Int32(row), column) else { return [] }
        let bytes = UnsafeRawBufferPointer(start: value, count: Int(PQgetlength(result, Int32(row), column)))
        return Array(bytes)
    }

    /// A text.
    func text(_ row: Int, _ column: Int32) -> String { String(decoding: bytes(row, column), as: UTF8.self) }

    /// A number, whatever its width; 0 where there is no value.
    func integer(_ row: Int, _ column: Int32) -> Int64 {
        let bytes = bytes(row, column)
        let unsigned = bytes.reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        return bytes.count == 4 ? Int64(Int32(truncatingIfNeeded: unsigned)) : Int64(bitPattern: unsigned)
    }

    /// A number, or nil where there is no value.
    func optionalInteger(_ row: Int, _ column: Int32) -> Int64? {
        isNull(row, column) ? nil : integer(row, column)
    }

    /// Whether a condition holds; false where there is no value.
    func bool(_ row: Int, _ column: Int32) -> Bool { bytes(row, column) == [1] }

    /// The name of a session.
    func sessionID(_ row: Int, _ column: Int32) -> SessionID { SessionID(bytea: bytes(row, column)) }

    /// The mark of a commit.
    func version(_ row: Int, _ column: Int32) throws(PostgresFailure) -> CommitVersion {
        guard let version = CommitVersion(encoded: bytes(row, column)) else { throw .unreadable("a session's version") }
        return version
    }

    /// Where a session stands: its history, its seq and its version.
    func head(_ row: Int, from column: Int32) throws(PostgresFailure) -> SessionHead {
        guard let history = SessionHistory(encoded: bytes(row, column)) else {
            throw .unreadable("a session's history")
        }
        return SessionHead(
            version: try version(row, column + 2), seq: UInt64(bitPattern: integer(row, column + 1)), history: history)
    }

    /// A time, or nil for never.
    func time(_ row: Int, _ column: Int32) -> TimeOfDay? {
        optionalInteger(row, column).map(TimeOfDay.init(secondsSince1970:))
    }

    private func field(_ code: Unicode.Scalar) -> String? {
        PQresultErrorField(result, Int32(code.value)).map { String(cString: $0) }
    }
}
