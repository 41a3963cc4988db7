internal import CHTTPShim
import Glibc
import Synchronization

/// An answer.
package struct Response: Sendable {
    /// One header field.
    package struct Header: Sendable, Hashable {
        /// The name: a token (RFC 9110, section 5.1).
        ///
        /// The server sets Date, Content-Length, Transfer-Encoding, Connection and Request-Id.
        package var name: HeaderName
        /// The value, without control characters.
        ///
        /// A malformed field turns the answer into a 500.
        package var value: String

        /// Makes a field.
        package init(_ name: HeaderName, _ value: String) { (self.name, self.value) = (name, value) }
    }

    /// What follows the header.
    package enum Body: Sendable {
        /// Nothing.
        case empty
        /// These bytes.
        case bytes([UInt8])
        /// Bytes that other answers send, too.
        case shared(SharedBody)
        /// The bytes of a file.
        case file(FileBody)

        var count: Int {
            switch self {
            case .empty: 0
            case .bytes(let bytes): bytes.count
            case .shared(let body): body.count
            case .file(let file): file.length
            }
        }
    }

    /// The status, 200 to 599; any other is sent as 500.
    package var status: Int
    /// The header fields besides the server's own, in the order in which they are sent.
    package var headers: [Header]
    /// The body.
    package var body: Body
    /// Whether the connection is closed after the answer.
    package var closesConnection = false
    /// For the log: the slug of the problem that this answer is, and its cause.
    var remark: (problem: String, cause: String?)?

    /// Makes an answer.
    package init(status: Int = 200, headers: [Header] = [], body: Body = .empty) {
        self.status = status
        self.headers = headers
        self.body = body
    }

    /// The same answer, which the log calls a problem.
    package func isProblem(_ slug: String, because cause: String?) -> Response {
        var response = self
        response.remark = (slug, cause)
        return response
    }
}

/// The name of a header field.
package struct HeaderName: Sendable, Hashable, ExpressibleByStringLiteral {
    /// The name, as it is sent.
    package let text: String

    /// Makes a name from a literal.
    package init(stringLiteral text: String) { self.text = text }

    package static let allow: HeaderName = "Allow"
    package static let cacheControl: HeaderName = "Cache-Control"
    package static let contentType: HeaderName = "Content-Type"
    package static let eTag: HeaderName = "ETag"
    package static let location: HeaderName = "Location"
    package static let retryAfter: HeaderName = "Retry-After"
    package static let setCookie: HeaderName = "Set-Cookie"
    package static let vary: HeaderName = "Vary"
    package static let wwwAuthenticate: HeaderName = "WWW-Authenticate"
}

/// Bytes that any number of answers and streams send without a copy of their own.
///
/// Answers without fields besides the body's share one response of libmicrohttpd, too, and have no Request-Id.
package final class SharedBody: Sendable {
    /// The shim's body: counted and never changed (CHTTPShim.h), hence unchecked.
    private struct Pointer: @unchecked Sendable {
        let raw: OpaquePointer?
    }

    private let pointer: Pointer
    /// The number of bytes.
    package let count: Int

    /// Copies the bytes, once.
    ///
    /// - Parameter headers: the fields of each answer with this body; a piece of a stream has none.
    package init(_ bytes: [UInt8], headers: [Response.Header] = []) {
        count = bytes.count
        pointer = Pointer(
            raw: Responder.packing(headers) { fields in
                bytes.withUnsafeBytes { bytes in
                    var answer = http_answer()
                    answer.fields = fields.bindMemory(to: CChar.self).baseAddress
                    (answer.fields_length, answer.field_count) = (fields.count, headers.count)
                    (answer.bytes, answer.length) = (bytes.baseAddress, bytes.count)
                    return http_body_create(&answer)
                }
            })
    }

    deinit {
        if let raw { http_body_release(raw) }
    }

    /// Nil if a field is malformed, or if there was no memory.
    var raw: OpaquePointer? { pointer.raw }
}

/// An open file as the body of one answer, read as it is sent.
///
/// If the file has become shorter, the connection ends early.
package final class FileBody: Sendable {
    private let descriptor: Atomic<Int32>
    /// How many bytes are sent, from the beginning of the file.
    package let length: Int

    /// Takes over an open descriptor of a regular file, and closes it.
    package init(descriptor: Int32, length: Int) {
        self.descriptor = Atomic(descriptor)
        self.length = length
    }

    deinit {
        let descriptor = take()
        if descriptor >= 0 { close(descriptor) }
    }

    /// The descriptor, which the caller closes; -1 if it was taken before.
    func take() -> Int32 { descriptor.exchange(-1, ordering: .relaxed) }
}
