/// The parameters of a statement, in PostgreSQL's binary format and in one buffer.
///
/// For arrays the format is that of array_recv() in the server's arrayfuncs.c.
struct Parameters {
    /// All parameters, one after the other.
    private(set) var bytes: [UInt8] = []
    /// Where each parameter is in ``bytes``.
    private(set) var places: [Range<Int>] = []

    /// Adds a `bigint`.
    mutating func add(_ number: Int) { add { $0.append(Int64(number)) } }

    /// Adds a `double precision`.
    mutating func add(_ number: Double) { add { $0.append(number.bitPattern) } }

    /// Adds a `text`.
    mutating func add(_ text: String) { add { $0.bytes += text.utf8 } }

    /// Adds a `text[]`.
    mutating func add(texts: some Collection<String?>) {
        add(of: 25, texts) { parameters, text in
            parameters.append(Int32(text.utf8.count))
            parameters.bytes += text.utf8
        }
    }

    /// Adds a `bytea[]`.
    mutating func add(bytes values: some Collection<[UInt8]?>) {
        add(of: 17, values) { parameters, value in
            parameters.append(Int32(value.count))
            parameters.bytes += value
        }
    }

    /// Adds a `bigint[]`.
    mutating func add(numbers: some Collection<Int64?>) {
        add(of: 20, numbers) { parameters, number in
            parameters.append(Int32(8))
            parameters.append(number)
        }
    }

    /// Adds a `double precision[]`.
    mutating func add(doubles: some Collection<Double?>) {
        add(of: 701, doubles) { parameters, number in
            parameters.append(Int32(8))
            parameters.append(number.bitPattern)
        }
    }

    /// - Parameter type: the object identifier of the elements' type (pg_type.dat).
    private mutating func add<Element>(
        of type: Int32, _ values: some Collection<Element?>, _ append: (inout Parameters, Element) -> Void
    ) {
        add { parameters in
            // The number of dimensions, whether there may be NULLs, the type; the length, and the first index.
            for number in values.isEmpty ? [0, 1, type] : [1, 1, type, Int32(values.count), 1] {
                parameters.append(number)
            }
            for value in values {
                if let value { append(&parameters, value) } else { parameters.append(Int32(-1)) }
            }
        }
    }

    private mutating func add(_ append: (inout Parameters) -> Void) {
        let start = bytes.count
        append(&self)
        places.append(start..<bytes.count)
    }

    private mutating func append(_ number: some FixedWidthInteger) {
        withUnsafeBytes(of: number.bigEndian) { bytes += $0 }
    }
}
