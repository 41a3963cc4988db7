import Sessions
import StoreParts

/// A parameter of a statement in PostgreSQL's binary format; of arrays that is array_recv() in the server's arrayfuncs.c.
struct Parameter {
    /// Nil for NULL.
    let bytes: [UInt8]?

    /// A number (`bigint`).
    static func integer(_ value: Int64?) -> Parameter { Parameter(bytes: value.map(bigEndian)) }

    /// A text, or bytes.
    static func bytes(_ value: [UInt8]?) -> Parameter { Parameter(bytes: value) }

    /// A list of numbers (`bigint[]`).
    static func integers(_ values: some Collection<Int64?>) -> Parameter {
        array(of: 20, values.lazy.map { $0.map(bigEndian) })
    }

    /// A list of byte strings (`bytea[]`).
    static func bytes(_ values: some Collection<[UInt8]?>) -> Parameter { array(of: 17, values) }

    /// A list of texts (`text[]`).
    static func texts(_ values: some Collection<String>) -> Parameter {
        array(of: 25, values.lazy.map { Array($0.utf8) })
    }

    /// - Parameter type: the object identifier of the elements' type (pg_type.dat).
    private static func array(of type: Int32, _ values: some Collection<[UInt8]?>) -> Parameter {
        var bytes: [UInt8] = []
        // One dimension, perhaps with NULLs; how many elements, of which the first is at 1.
        for number in values.isEmpty ? [0, 1, type] : [1, 1, type, Int32(values.count), 1] {
            append(number, to: &bytes)
        }
        for value in values {
            append(value.map { Int32($0.count) } ?? -1, to: &bytes)
            bytes += value ?? []
        }
        return Parameter(bytes: bytes)
    }

    private static func append(_ number: Int32, to bytes: inout [UInt8]) {
        withUnsafeBytes(of: number.bigEndian) { bytes += $0 }
    }

    private static func bigEndian(_ number: Int64) -> [UInt8] { withUnsafeBytes(of: number.bigEndian) { Array($0) } }
}

extension SessionID {
    /// The name as it is stored: a digest as its 32 bytes; any other text behind so many zero bytes that it is not as long.
    var bytea: [UInt8] {
        switch column {
        case .digest(let bytes): bytes
        case .text(let text): [UInt8](repeating: 0, count: text.utf8.count == 31 ? 2 : 1) + text.utf8
        }
    }

    /// Reads what ``bytea`` wrote.
    init(bytea: [UInt8]) {
        self.init(
            bytea.count == 32 ? .digest(bytea) : .text(String(decoding: bytea.drop { $0 == 0 }, as: UTF8.self)))
    }
}
