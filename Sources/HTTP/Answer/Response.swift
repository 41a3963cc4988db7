internal import CHTTPShim
import Foundation

package struct Response: Sendable {
    /// A header field; the server itself sets Date, Content-Length, Transfer-Encoding, Connection and Request-Id.
    ///
    /// The name is a token (RFC 9110, section 5.1). The value has no control characters. A malformed field turns the answer
    /// into a 500.
    package struct Header: Sendable, Hashable {
        package let name: String
        package let value: String

        package init(_ name: String, _ value: String) { (self.name, self.value) = (name, value) }
    }

    /// The body of an answer.
    package enum Body: Sendable {
        case bytes([UInt8])
        /// Bytes that several answers share.
        case shared(SharedBody)
        /// The first bytes of a file, read during the sending. If the file is too short, the connection ends early.
        case file(FileHandle, length: Int)

        var count: Int {
            switch self {
            case .bytes(let bytes): bytes.count
            case .shared(let body): body.count
            case .file(_, let length): length
            }
        }
    }

    /// The status, 200 to 599; any other is sent as 500.
    package var status: Int
    /// The header fields in the order in which they are sent.
    package var headers: [Header]
    package var body: Body
    /// For the log: the slug of the problem in this answer.
    package var problem: String?
    /// For the log: the cause of the problem.
    package var cause: String?

    package init(status: Int = 200, headers: [Header] = [], body: Body = .bytes([])) {
        (self.status, self.headers, self.body) = (status, headers, body)
    }
}

/// Bytes that answers and streams share without copies.
///
/// If answers add no fields, they also share one response of libmicrohttpd, and have no Request-Id.
package final class SharedBody: Sendable {
    /// The number of bytes.
    package let count: Int
    /// The shim's body; nil if a field is malformed.
    // Safe: counted and never changed (CHTTPShim.h).
    nonisolated(unsafe) let raw: OpaquePointer?

    /// Copies the bytes.
    ///
    /// - Parameter headers: the fields of each answer with this body; a piece of a stream has none.
    package init(_ bytes: [UInt8], headers: [Response.Header] = []) {
        count = bytes.count
        raw = Response(headers: headers, body: .bytes(bytes)).shim()
    }

    deinit {
        if let raw { http_body_release(raw) }
    }
}

extension Response {
    /// A reference to the body and the fields for the shim; nil if the status or a field is malformed.
    func shim(adding more: [Header] = []) -> OpaquePointer? {
        guard (200...599).contains(status) else { return nil }
        let headers = more.isEmpty ? headers : headers + more
        let raw =
            switch body {
            case .bytes(let bytes): bytes.withUnsafeBytes { http_body_create($0.baseAddress, $0.count) }
            case .shared(let body): body.raw.map { headers.isEmpty ? http_body_retain($0) : http_body_copy($0) }
            case .file(let file, let length): http_body_create_file(file.fileDescriptor, length)
            }
        guard let raw else { return nil }
        for header in headers {
            // withCString makes no copy, unlike a String as an argument.
            let isAdded = header.name.withCString { name in
                header.value.withCString { http_body_add_field(raw, name, $0, header.value.utf8.count) }
            }
            guard isAdded else {
                http_body_release(raw)
                return nil
            }
        }
        return raw
    }
}
