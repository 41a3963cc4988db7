internal import CHTTPShim
package import Events

/// One complete request.
///
/// A value over memory the request owns: it may be kept and read on any thread, for as long as wanted. Texts are made on
/// demand, so what a handler does not ask for costs nothing.
package struct Request: Sendable {
    let exchange: Exchange

    /// The request's id, unique in this process and unlikely elsewhere; also in the answer's `Request-Id`.
    package var id: String { exchange.id }

    /// Names the session that it is about, for the log; from any thread, before it is answered.
    package func note(_ session: SessionTag) { http_exchange_set_session(exchange.pointer.raw, session.number) }

    /// The request's number on this server, from 0, in the order in which their heads were read.
    package var number: UInt64 { http_exchange_number(exchange.pointer.raw) }

    /// The method; `.head` for a HEAD, also where a GET route serves it.
    package var method: Method { http_exchange_is_head(exchange.pointer.raw) ? .head : exchange.route.method }

    /// The path as it was sent: percent-encoded, without the query.
    package var path: String { String(http_exchange_path(exchange.pointer.raw)) ?? "" }

    /// The value of a template's `{parameter}`, percent-decoded; what is no UTF-8 in it is U+FFFD.
    ///
    /// Nil where the template has no parameter of that name.
    package func parameter(_ name: String) -> String? {
        guard let index = exchange.route.parameterNames.firstIndex(of: name) else { return nil }
        return String(http_exchange_parameter(exchange.pointer.raw, index))
    }

    /// The query, decoded; empty where there is none.
    ///
    /// Throws a 400 ``Problem`` where its percent-encoding is malformed or it is no UTF-8.
    package func query() throws(Problem) -> Query {
        let text = http_exchange_query(exchange.pointer.raw)
        guard text.length > 0 else { return Query() }
        return try Query(parsing: UnsafeRawBufferPointer(start: text.bytes, count: text.length))
    }

    /// The value of the first field of that name, without the white space around it; nil where there is none.
    ///
    /// Each byte that is not ASCII becomes U+FFFD: in none of these fields does it mean anything (RFC 9110, section 5.5), and
    /// comparing a text of combining marks takes the square of its length.
    ///
    /// The lines of `Accept`, `Accept-Language`, `If-Match`, `If-None-Match` and `X-Forwarded-For` are one list, in their
    /// order (RFC 9110, section 5.3).
    package func header(_ name: RequestHeader) -> String? {
        String(field: http_exchange_field(exchange.pointer.raw, name.slot))
    }

    /// Lends the value that ``header(_:)`` gives without making a text of it; the pointer must not leave the closure.
    ///
    /// - Returns: nil where there is no such field.
    package func withHeader<Result, Failure>(
        _ name: RequestHeader, _ read: (UnsafeRawBufferPointer) throws(Failure) -> Result
    ) throws(Failure) -> Result? {
        let text = http_exchange_field(exchange.pointer.raw, name.slot)
        guard let bytes = text.bytes else { return nil }
        let result = try read(UnsafeRawBufferPointer(start: bytes, count: text.length))
        withExtendedLifetime(exchange) {}
        return result
    }

    /// Whether the field came more than once.
    package func isRepeated(_ name: RequestHeader) -> Bool {
        http_exchange_field_is_repeated(exchange.pointer.raw, name.slot)
    }

    /// A copy of the body.
    package var body: [UInt8] {
        let text = http_exchange_body(exchange.pointer.raw)
        let copy = Array(UnsafeRawBufferPointer(start: text.bytes, count: text.length))
        withExtendedLifetime(exchange) {}
        return copy
    }
}

extension String {
    /// The value of a header field, with U+FFFD for each byte that is not ASCII; nil where it is absent.
    init?(field text: http_text) {
        guard let start = text.bytes else { return nil }
        let bytes = UnsafeRawBufferPointer(start: start, count: text.length)
        if bytes.allSatisfy({ $0 < 0x80 }) {
            self.init(decoding: bytes, as: UTF8.self)
        } else {
            // By bytes: to put characters together takes nearly twice as long.
            var repaired: [UInt8] = []
            repaired.reserveCapacity(3 * bytes.count)
            for byte in bytes {
                if byte < 0x80 { repaired.append(byte) } else { repaired.append(contentsOf: "\u{FFFD}".utf8) }
            }
            self.init(decoding: repaired, as: UTF8.self)
        }
    }

    /// The text as UTF-8, repaired where it is not; nil where it is absent.
    init?(_ text: http_text) {
        guard let bytes = text.bytes else { return nil }
        self.init(decoding: UnsafeRawBufferPointer(start: bytes, count: text.length), as: UTF8.self)
    }
}

/// A header field that is kept of a request; the others are dropped as it is read.
///
/// Kept in slots, so that looking one up costs the same however many a client sends.
package enum RequestHeader: Sendable, Hashable, CaseIterable {
    /// `Accept` (RFC 9110, section 12.5.1).
    case accept
    /// `Accept-Language` (RFC 9110, section 12.5.4).
    case acceptLanguage
    /// `Access-Control-Request-Method` (WHATWG Fetch, "CORS protocol").
    case accessControlRequestMethod
    /// `Authorization` (RFC 9110, section 11.6.2).
    case authorization
    /// `Bindery-Session`: the public id of the session that the client means.
    case binderySession
    /// `Content-Encoding` (RFC 9110, section 8.4).
    case contentEncoding
    /// `Content-Type` (RFC 9110, section 8.3).
    case contentType
    /// `Cookie` (RFC 6265, section 4.2).
    case cookie
    /// `Host` (RFC 9110, section 7.2).
    case host
    /// `Idempotency-Key` (draft-ietf-httpapi-idempotency-key-header).
    case idempotencyKey
    /// `If-Match` (RFC 9110, section 13.1.1).
    case ifMatch
    /// `If-None-Match` (RFC 9110, section 13.1.2).
    case ifNoneMatch
    /// `Last-Event-ID` (WHATWG HTML, "Server-sent events").
    case lastEventID
    /// `Origin` (RFC 6454, section 7).
    case origin
    /// `Sec-Fetch-Site` (W3C Fetch Metadata).
    case secFetchSite
    /// `traceparent` (W3C Trace Context, section 3.2).
    case traceparent
    /// `X-Forwarded-For`: the clients that proxies spoke for; to be believed only of a proxy that is trusted.
    case xForwardedFor
    /// `X-Forwarded-Host`: the host that a proxy was asked for; to be believed only of a proxy that is trusted.
    case xForwardedHost
    /// `X-Forwarded-Proto`: the scheme that a proxy was asked by; to be believed only of a proxy that is trusted.
    case xForwardedProto

    /// The shim's slot.
    var slot: http_field {
        switch self {
        case .accept: HTTP_FIELD_ACCEPT
        case .acceptLanguage: HTTP_FIELD_ACCEPT_LANGUAGE
        case .accessControlRequestMethod: HTTP_FIELD_ACCESS_CONTROL_REQUEST_METHOD
        case .authorization: HTTP_FIELD_AUTHORIZATION
        case .binderySession: HTTP_FIELD_BINDERY_SESSION
        case .contentEncoding: HTTP_FIELD_CONTENT_ENCODING
        case .contentType: HTTP_FIELD_CONTENT_TYPE
        case .cookie: HTTP_FIELD_COOKIE
        case .host: HTTP_FIELD_HOST
        case .idempotencyKey: HTTP_FIELD_IDEMPOTENCY_KEY
        case .ifMatch: HTTP_FIELD_IF_MATCH
        case .ifNoneMatch: HTTP_FIELD_IF_NONE_MATCH
        case .lastEventID: HTTP_FIELD_LAST_EVENT_ID
        case .origin: HTTP_FIELD_ORIGIN
        case .secFetchSite: HTTP_FIELD_SEC_FETCH_SITE
        case .traceparent: HTTP_FIELD_TRACEPARENT
        case .xForwardedFor: HTTP_FIELD_X_FORWARDED_FOR
        case .xForwardedHost: HTTP_FIELD_X_FORWARDED_HOST
        case .xForwardedProto: HTTP_FIELD_X_FORWARDED_PROTO
        }
    }
}

/// The names and values of a request's query, in the order sent.
///
/// Read as `application/x-www-form-urlencoded` (WHATWG URL, section 5.1): a plus sign is a space.
package struct Query: Sendable, Equatable {
    private struct Pair: Sendable, Equatable {
        let name: String
        let value: String

        /// By its bytes: to a `String`, what Unicode calls equivalent is one name, and finding that out takes its time.
        func isNamed(_ other: String) -> Bool { name.utf8.elementsEqual(other.utf8) }
    }

    private var pairs: [Pair] = []

    init() {}

    /// Throws a 400 problem where the encoding is malformed.
    init(parsing bytes: UnsafeRawBufferPointer) throws(Problem) {
        for part in bytes.split(separator: UInt8(ascii: "&")) {
            let equals = part.firstIndex(of: UInt8(ascii: "=")) ?? part.endIndex
            let name = try Self.decode(part[..<equals])
            let value = try Self.decode(part[equals...].dropFirst())
            pairs.append(Pair(name: name, value: value))
        }
    }

    /// The first value of that name; empty where it came without one, nil where it did not come.
    package subscript(name: String) -> String? {
        pairs.first { $0.isNamed(name) }?.value
    }

    /// All values of that name: more than one where it was repeated.
    package func values(of name: String) -> [String] {
        pairs.lazy.filter { $0.isNamed(name) }.map(\.value)
    }

    /// The names, each as often as it came.
    package var names: [String] { pairs.map(\.name) }

    private static func decode(_ encoded: Slice<UnsafeRawBufferPointer>) throws(Problem) -> String {
        var decoded: [UInt8] = []
        decoded.reserveCapacity(encoded.count)
        var rest = encoded
        while let byte = rest.popFirst() {
            switch byte {
            case UInt8(ascii: "+"): decoded.append(UInt8(ascii: " "))
            case UInt8(ascii: "%"):
                guard let high = rest.popFirst()?.hexadecimalValue, let low = rest.popFirst()?.hexadecimalValue else {
                    throw .malformedQuery
                }
                decoded.append(high << 4 | low)
            default: decoded.append(byte)
            }
        }
        guard let text = String(validating: decoded, as: UTF8.self) else { throw .malformedQuery }
        return text
    }
}

extension Problem {
    fileprivate static var malformedQuery: Problem {
        Problem(
            "malformed-query", status: 400, title: "Malformed query",
            detail: "The query is not percent-encoded UTF-8: write each % as %25 and check the digits after it.")
    }
}
