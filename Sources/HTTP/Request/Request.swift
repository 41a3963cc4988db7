internal import CHTTPShim
import Foundation

/// One complete request.
///
/// Any thread may keep and read it. Its properties read the memory of the exchange and make texts on each access.
package struct Request: Sendable {
    let responder: Responder

    private var raw: UnsafePointer<http_request> { responder.raw }

    /// The request's id, as in `Request-Id`: unique in this process, and unlikely elsewhere.
    package var id: String { String(array: raw.pointee.id) }

    /// The number of the request on this server, from 0, in the order of the heads.
    package var number: UInt64 { raw.pointee.number }

    /// The method; `.head` for a HEAD that a GET route serves.
    package var method: Method { raw.pointee.is_head ? .head : responder.route?.method ?? .get }

    /// The path as sent: percent-encoded, without the query.
    package var path: String { String(utf8: raw.pointee.path) }

    /// The decoded value of a template's `{parameter}`; nil if the template has none of that name.
    package func parameter(_ name: String) -> String? {
        let segments = responder.route?.template.split(separator: "/", omittingEmptySubsequences: false)
        guard let place = segments?.firstIndex(where: { $0 == "{\(name)}" }) else { return nil }
        let text = String(path.split(separator: "/", omittingEmptySubsequences: false)[place])
        return text.removingPercentEncoding ?? text
    }

    /// The decoded names and values of the query, in the order sent; nil if it is not percent-encoded UTF-8.
    ///
    /// Read as `application/x-www-form-urlencoded` (WHATWG URL, section 5.1): a plus sign is a space.
    package var query: [(name: String, value: String)]? {
        var pairs: [(String, String)] = []
        for part in String(utf8: raw.pointee.query).utf8.split(separator: UInt8(ascii: "&")) {
            let name = part.prefix { $0 != UInt8(ascii: "=") }
            let value = part.dropFirst(name.count + 1)
            guard let name = Self.decode(name), let value = Self.decode(value) else { return nil }
            pairs.append((name, value))
        }
        return pairs
    }

    private static func decode(_ encoded: Substring.UTF8View) -> String? {
        let text = String(Substring(encoded))
        let isPlain = !encoded.contains { $0 == UInt8(ascii: "%") || $0 == UInt8(ascii: "+") }
        return isPlain ? text : text.replacing("+", with: " ").removingPercentEncoding
    }

    /// A copy of the body.
    package var body: [UInt8] {
        defer { withExtendedLifetime(responder) {} }
        return Array(UnsafeRawBufferPointer(start: raw.pointee.body.bytes, count: raw.pointee.body.length))
    }

    // MARK: Fields

    /// The index of the first field of that name, from `start` on; nil if there is none.
    private func place(of name: String, from start: Int = 0) -> Int? {
        let fields = UnsafeBufferPointer(start: raw.pointee.fields, count: raw.pointee.field_count)
        var name = name
        return name.withUTF8 { name in
            guard let word = name.baseAddress else { return nil }
            return fields[start...].firstIndex {
                $0.name.length == name.count && strncasecmp($0.name.bytes, word, name.count) == 0
            }
        }
    }

    private func value(at place: Int) -> UnsafeRawBufferPointer {
        let value = raw.pointee.fields[place].value
        return UnsafeRawBufferPointer(start: value.bytes, count: value.length)
    }

    /// The value of the field of that name, without white space around it; nil if there is none.
    ///
    /// Repeated fields are one list (RFC 9110, section 5.3). A byte that is not ASCII becomes U+FFFD, because it has no
    /// meaning in these fields (RFC 9110, section 5.5).
    package func header(_ name: RequestHeader) -> String? {
        guard var place = place(of: name.rawValue) else { return nil }
        var text = String(ascii: value(at: place))
        while let next = self.place(of: name.rawValue, from: place + 1) {
            text += (name == .cookie ? "; " : ", ") + String(ascii: value(at: next))
            place = next
        }
        return text
    }

    /// Whether the bytes of the first field of that name pass a test; nil if there is no such field.
    package func header(_ name: RequestHeader, passes test: (UnsafeRawBufferPointer) -> Bool) -> Bool? {
        guard let place = place(of: name.rawValue) else { return nil }
        defer { withExtendedLifetime(responder) {} }
        return test(value(at: place))
    }

    /// Whether the field came more than once.
    package func isRepeated(_ name: RequestHeader) -> Bool {
        place(of: name.rawValue).flatMap { place(of: name.rawValue, from: $0 + 1) } != nil
    }

    // MARK: Where it comes from

    /// The address of the connected client or proxy.
    package var peer: IPAddress { withUnsafePointer(to: raw.pointee.peer) { IPAddress(bytes: $0) } }

    private var isOfProxy: Bool { responder.server.trustedProxies.contains(peer) }

    /// The address of the client: the peer, or the address that a trusted proxy names in `X-Forwarded-For`.
    package var client: IPAddress {
        guard isOfProxy, let list = header(.xForwardedFor) else { return peer }
        return responder.server.trustedProxies.client(of: peer, forwardedFor: list)
    }

    /// Whether it comes from this machine, but not through a trusted proxy.
    package var isLocal: Bool { peer.isLoopback && !isOfProxy }

    /// The `X-Forwarded-Host` of a trusted proxy.
    package var forwardedHost: String? { forwarded(.xForwardedHost) }

    /// The `X-Forwarded-Proto` of a trusted proxy.
    package var forwardedScheme: String? { forwarded(.xForwardedProto) }

    /// The last element, which the nearest proxy added.
    private func forwarded(_ name: RequestHeader) -> String? {
        guard isOfProxy, let list = header(name) else { return nil }
        return list.split(separator: ",", omittingEmptySubsequences: false).last.map { String($0.trimmed) }
    }

    /// The value of a field; nil if it is missing, repeated, empty or not UTF-8, or if the peer is no trusted proxy.
    package func trusted(_ name: String) -> String? {
        guard isOfProxy, let place = place(of: name), self.place(of: name, from: place + 1) == nil else { return nil }
        return String(validating: value(at: place), as: UTF8.self).flatMap { $0.isEmpty ? nil : $0 }
    }
}

extension String {
    /// Decodes UTF-8 and repairs invalid bytes; a missing text becomes an empty one.
    init(utf8 text: http_text) {
        self.init(decoding: UnsafeRawBufferPointer(start: text.bytes, count: text.length), as: UTF8.self)
    }

    /// The text in an array of the shim, up to its first zero.
    init(array: some Any) {
        self = withUnsafeBytes(of: array) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
    }

    /// Replaces each byte that is not ASCII by U+FFFD.
    fileprivate init(ascii bytes: UnsafeRawBufferPointer) {
        if bytes.contains(where: { $0 >= 0x80 }) {
            self.init(decoding: bytes.map { $0 < 0x80 ? UInt16($0) : 0xFFFD }, as: UTF16.self)
        } else {
            self.init(decoding: bytes, as: UTF8.self)
        }
    }
}

/// A request field that this service reads.
package enum RequestHeader: String, Sendable, CaseIterable {
    case accept
    case acceptLanguage = "accept-language"
    case authorization
    case binderySession = "bindery-session"
    case contentEncoding = "content-encoding"
    case contentType = "content-type"
    case cookie, host
    case idempotencyKey = "idempotency-key"
    case ifMatch = "if-match"
    case ifNoneMatch = "if-none-match"
    case lastEventID = "last-event-id"
    case origin
    case secFetchSite = "sec-fetch-site"
    case xForwardedFor = "x-forwarded-for"
    case xForwardedHost = "x-forwarded-host"
    case xForwardedProto = "x-forwarded-proto"
}

/// ASCII by bytes, because comparing texts takes much longer.
extension UInt8 {
    /// A space or a tab: the white space within a field's value (RFC 9110, section 5.6.3).
    @inlinable package var isBlank: Bool { self == UInt8(ascii: " ") || self == UInt8(ascii: "\t") }

    /// `0` to `9`.
    @inlinable package var isDigit: Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(self) }

    /// `A` to `Z` as `a` to `z`; any other byte as it is.
    @inlinable package var lowercased: UInt8 {
        (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(self) ? self | 0x20 : self
    }
}

extension Substring {
    /// The text without the blanks around it.
    package var trimmed: Substring {
        var rest = utf8.drop { $0.isBlank }
        while rest.last?.isBlank == true { rest.removeLast() }
        return Substring(rest)
    }
}
