import CPostgres
import Entities
import StoreParts

/// The rows that a statement returned, in PostgreSQL's binary format.
final class Answer {
    private let result: OpaquePointer

    /// Takes over a result of libpq; `deinit` frees it.
    init(_ result: OpaquePointer) { self.result = result }

    deinit { PQclear(result) }

    /// The failure of the statement; nil if it succeeded.
    var failure: PostgresFailure? {
        switch PQresultStatus(result) {
        case PGRES_COMMAND_OK, PGRES_TUPLES_OK, PGRES_EMPTY_QUERY: nil
        default:
            // The field V has the severity in English, in every language of the server.
            PostgresFailure(
                ["FATAL", "PANIC"].contains(field("V")) ? .lost : .refused, state: field("C") ?? "",
                message: field("M") ?? String(cString: PQresultErrorMessage(result)))
        }
    }

    var count: Int { Int(PQntuples(result)) }

    /// The number of rows that the statement wrote, or returned.
    var changes: Int { Int(String(cString: PQcmdTuples(result))) ?? 0 }

    func isNull(_ row: Int, _ column: Int32) -> Bool { PQgetisnull(result, Int32(row), column) == 1 }

    /// The bytes of a column; none for NULL.
    func bytes(_ row: Int, _ column: Int32) -> [UInt8] { Array(raw(row, column)) }

    func text(_ row: Int, _ column: Int32) -> String { String(decoding: raw(row, column), as: UTF8.self) }

    /// An `integer` or a `bigint`; 0 for NULL.
    func number(_ row: Int, _ column: Int32) -> Int64 {
        let bytes = raw(row, column)
        let bits = bytes.reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        return bytes.count == 4 ? Int64(Int32(truncatingIfNeeded: bits)) : Int64(bitPattern: bits)
    }

    /// A `double precision`; 0 for NULL.
    func double(_ row: Int, _ column: Int32) -> Double {
        Double(bitPattern: UInt64(bitPattern: number(row, column)))
    }

    /// A `boolean`; false for NULL.
    func bool(_ row: Int, _ column: Int32) -> Bool { raw(row, column).first == 1 }

    /// A stamp in two columns: seq and nonce.
    func stamp(_ row: Int, from column: Int32) -> Stamp {
        Stamp(
            seq: UInt64(bitPattern: number(row, column)), nonce: UInt64(bitPattern: number(row, column + 1)))
    }

    /// The entity of a row that begins with id and kind.
    func id(_ row: Int) -> EntityID { EntityID(kind: text(row, 1), text: text(row, 0)) }

    /// The row with id, kind, seq, nonce, ring, language and parts; nil if this build cannot read it.
    func entity(_ row: Int) -> StoredEntity? {
        RowForm.entity(
            id(row), head: stamp(row, from: 2), ring: bytes(row, 4), language: text(row, 5), parts: bytes(row, 6))
    }

    /// A key in the columns digest, request_hmac, status, body, etag, and the seconds that are left of its window.
    func key(_ row: Int, from column: Int32) -> StoredKey {
        let remembered = Remembered(
            status: Int(number(row, column + 2)), body: bytes(row, column + 3),
            etag: isNull(row, column + 4) ? nil : text(row, column + 4))
        return StoredKey(
            digest: KeyDigest(bytes(row, column)), request: bytes(row, column + 1), remembered: remembered,
            window: .seconds(double(row, column + 5)))
    }

    private func raw(_ row: Int, _ column: Int32) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(
            start: PQgetvalue(result, Int32(row), column), count: Int(PQgetlength(result, Int32(row), column)))
    }

    private func field(_ code: Unicode.Scalar) -> String? {
        PQresultErrorField(result, Int32(code.value)).map { String(cString: $0) }
    }
}
