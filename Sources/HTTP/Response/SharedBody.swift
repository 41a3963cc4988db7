internal import CHTTPShim

/// Bytes that any number of answers and event streams send without a copy of their own, and the header fields of such
/// answers.
///
/// An answer to ten thousand waiting clients is made, and kept, once.
package final class SharedBody: Sendable {
    /// The shim's bytes: counted and never changed (CHTTPShim.h), hence unchecked.
    private struct Pointer: @unchecked Sendable {
        let raw: OpaquePointer
    }

    private let pointer: Pointer?

    /// Copies the bytes, once.
    ///
    /// - Parameter headers: fields of every answer with this body, before its own; a stream's events have none.
    package init(_ bytes: [UInt8], headers: [Response.Header] = []) {
        let pairs = headers.flatMap { [$0.name.text, $0.value] }
        let fields = pairs.flatMap { Array($0.utf8CString) }
        // A NUL would split the field.
        guard !pairs.contains(where: { $0.utf8.contains(0) }) else {
            pointer = nil
            return
        }
        pointer = bytes.withUnsafeBytes { http_body_create($0.baseAddress, $0.count, fields, fields.count) }
            .map { Pointer(raw: $0) }
    }

    deinit {
        if let pointer { http_body_release(pointer.raw) }
    }

    /// The shim's bytes; nil where there was no memory for them, or a header field is malformed.
    var raw: OpaquePointer? { pointer?.raw }
}
