import HTTP

/// What the server read of a request, as lines of text.
///
/// Tests/Fuzz/Door/oracles.py writes them alike, to the byte:
/// ```
/// POST
/// /path/as%20sent
/// cookie=its value
/// cookie repeated
///
/// 5 103547413
/// ```
///
/// The last line is the length and the checksum of the body: an answer longer than the kernel's buffers would be lost if the
/// server closes with unread bytes behind a chunked body.
///
/// A part that holds a line break or an equals sign makes a record that no reader expects.
struct Record {
    private let text: [UInt8]

    init(_ request: Request) {
        var text = "\(request.method.rawValue)\n\(request.path)\n"
        for field in RequestHeader.allCases {
            guard let value = request.header(field) else { continue }
            let name = "\(field)".lowercased()
            text += "\(name)=\(value)\n"
            if request.isRepeated(field) { text += "\(name) repeated\n" }
        }
        let body = request.body
        self.text = Array("\(text)\n\(body.count) \(Self.checksum(body))".utf8)
    }

    /// A HEAD's answer has no body, so each tells its record's checksum too.
    var response: Response {
        Response(
            headers: [Response.Header("Echo-Sum", "\(Self.checksum(text))")], body: .bytes(text))
    }

    /// Adler-32 (RFC 1950, section 8.2), which Python's zlib computes as well.
    private static func checksum(_ text: [UInt8]) -> UInt32 {
        var (a, b): (UInt32, UInt32) = (1, 0)
        for byte in text {
            a = (a + UInt32(byte)) % 65521
            b = (b + a) % 65521
        }
        return b << 16 | a
    }
}
