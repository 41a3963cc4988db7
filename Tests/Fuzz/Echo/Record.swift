import HTTP

/// What the server read of a request, as lines of text.
///
/// Tests/Fuzz/Door/record.py writes them alike, to the byte:
/// ```
/// POST
/// /path/as%20sent
/// query name=percent-encoded value
/// cookie=its value
/// cookie repeated
///
/// 68656c6c6f
/// ```
///
/// The query comes decoded, which is how HTTP's interface gives it; `malformed` stands for one that it refuses. A line
/// break or an equals sign within a part would make another record of it, so that a part holding one is not equal to any
/// that is expected.
struct Record {
    private let text: [UInt8]

    init(_ request: Request) {
        var text = "\(request.method.rawValue)\n\(request.path)\n"
        Self.append(request, to: &text)
        for field in RequestHeader.allCases {
            guard let value = request.header(field) else { continue }
            let name = "\(field)".lowercased()
            text += "\(name)=\(value)\n"
            if request.isRepeated(field) { text += "\(name) repeated\n" }
        }
        self.text = Array("\(text)\n\(Self.hexadecimal(request.body))".utf8)
    }

    /// A HEAD's answer has no body, so each tells its record's checksum too.
    var response: Response {
        Response(
            headers: [Response.Header("Echo-Sum", "\(checksum)")], body: .bytes(text))
    }

    /// Adler-32 (RFC 1950, section 8.2), which Python's zlib computes as well.
    private var checksum: UInt32 {
        var (a, b): (UInt32, UInt32) = (1, 0)
        for byte in text {
            a = (a + UInt32(byte)) % 65521
            b = (b + a) % 65521
        }
        return b << 16 | a
    }

    private static func append(_ request: Request, to text: inout String) {
        guard let query = try? request.query() else { return text += "query malformed\n" }
        var seen: [String: Int] = [:]
        for name in query.names {
            let place = seen[name, default: 0]
            seen[name] = place + 1
            text += "query \(hexadecimal(name.utf8))=\(hexadecimal(query.values(of: name)[place].utf8))\n"
        }
    }

    private static func hexadecimal(_ bytes: some Collection<UInt8>) -> String {
        let digits = Array("0123456789abcdef".utf8)
        return String(unsafeUninitializedCapacity: bytes.count * 2) { buffer in
            for (place, byte) in bytes.enumerated() {
                buffer[place * 2] = digits[Int(byte >> 4)]
                buffer[place * 2 + 1] = digits[Int(byte & 15)]
            }
            return bytes.count * 2
        }
    }
}
