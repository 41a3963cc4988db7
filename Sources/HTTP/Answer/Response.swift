internal import CHTTPShim
import Glibc

/// An answer.
package struct Response: Sendable {
    /// One header field besides Date, Content-Length, Transfer-Encoding, Connection and Request-Id, which the server sets.
    ///
    /// The name is a token (RFC 9110, section 5.1). The value has no control characters. A malformed field turns the answer
    /// into a 500.
    package struct Header: Sendable, Hashable {
        package let name: String
        package let value: String

        package init(_ name: String, _ value: String) { (self.name, self.value) = (name, value) }
    }

    /// What follows the header.
    package enum Body: Sendable {
        case bytes([UInt8])
        /// Bytes that other answers send, too.
        case shared(SharedBody)
        case file(FileBody)

        var count: Int {
            switch self {
            case .bytes(let bytes): bytes.count
            case .shared(let body): body.count
            case .file(let file): file.length
            }
        }
    }

    /// The status, 200 to 599; any other is sent as 500.
    package var status: Int
    /// The header fields in the order in which they are sent.
    package var headers: [Header]
    /// The body.
    package var body: Body
    /// Whether the connection is closed after the answer.
    package var closesConnection = false
    /// For the log: the slug of the problem that this answer is.
    package var problem: String?
    /// For the log: what led to the problem.
    package var cause: String?

    /// Makes an answer.
    package init(status: Int = 200, headers: [Header] = [], body: Body = .bytes([])) {
        (self.status, self.headers, self.body) = (status, headers, body)
    }
}

/// Bytes that any number of answers and streams send without a copy of their own.
///
/// Answers without fields besides the body's share one response of libmicrohttpd, too, and have no Request-Id.
package final class SharedBody: Sendable {
    /// The number of bytes.
    package let count: Int
    /// The shim's body; nil if a field is malformed.
    // Safe: counted and never changed (CHTTPShim.h).
    nonisolated(unsafe) let raw: OpaquePointer?

    /// Copies the bytes, once.
    ///
    /// - Parameter headers: the fields of each answer with this body; a piece of a stream has none.
    package init(_ bytes: [UInt8], headers: [Response.Header] = []) {
        count = bytes.count
        raw = Response(headers: headers, body: .bytes(bytes)).withShim { http_body_create(&$0) }
    }

    deinit {
        if let raw { http_body_release(raw) }
    }
}

/// An open file as the body of an answer, read as it is sent.
///
/// If the file has become shorter, the connection ends early.
package final class FileBody: Sendable {
    fileprivate let descriptor: Int32
    /// How many bytes are sent, from the beginning of the file.
    package let length: Int

    /// Takes over an open descriptor of a regular file, and closes it.
    package init(descriptor: Int32, length: Int) { (self.descriptor, self.length) = (descriptor, length) }

    deinit { close(descriptor) }
}

extension Response {
    /// Lends the answer as the shim takes it, with the fields packed: name, NUL, value, NUL.
    func withShim<Result>(adding more: [Header] = [], _ use: (inout http_answer) -> Result) -> Result {
        var answer = http_answer()
        (answer.status, answer.closes) = (UInt32(clamping: status), closesConnection)
        let headers = more.isEmpty ? headers : headers + more
        answer.field_count = headers.count
        answer.fields_length = headers.reduce(0) { $0 + $1.name.utf8.count + $1.value.utf8.count + 2 }
        return withUnsafeTemporaryAllocation(byteCount: answer.fields_length, alignment: 1) { buffer in
            var place = 0
            func append(_ text: String) {
                var text = text
                text.withUTF8 { UnsafeMutableRawBufferPointer(rebasing: buffer[place...]).copyMemory(from: .init($0)) }
                place += text.utf8.count
                buffer[place] = 0
                place += 1
            }
            for header in headers {
                append(header.name)
                append(header.value)
            }
            answer.fields = UnsafePointer(buffer.bindMemory(to: CChar.self).baseAddress)
            switch body {
            case .shared(let body): (answer.kind, answer.body) = (HTTP_ANSWER_BODY, body.raw)
            case .file(let file):
                (answer.kind, answer.descriptor, answer.length) = (HTTP_ANSWER_FILE, file.descriptor, file.length)
            case .bytes(let bytes):
                return bytes.withUnsafeBytes { bytes in
                    (answer.bytes, answer.length) = (bytes.baseAddress, bytes.count)
                    return use(&answer)
                }
            }
            return use(&answer)
        }
    }
}
