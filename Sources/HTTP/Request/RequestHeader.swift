internal import CHTTPShim

/// A header field that is kept of a request; the others are dropped as it is read.
///
/// Kept in slots, so that looking one up costs the same however many a client sends.
public enum RequestHeader: Sendable, Hashable, CaseIterable {
    /// `Accept` (RFC 9110, section 12.5.1).
    case accept
    /// `Accept-Language` (RFC 9110, section 12.5.4).
    case acceptLanguage
    /// `Access-Control-Request-Headers` (WHATWG Fetch, "CORS protocol").
    case accessControlRequestHeaders
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
    /// `X-Forwarded-For`: whom proxies were asked by; true only from a proxy that is trusted.
    case xForwardedFor
    /// `X-Forwarded-Host`: the host that a proxy was asked for; true only from a proxy that is trusted.
    case xForwardedHost
    /// `X-Forwarded-Proto`: the scheme that a proxy was asked by; true only from a proxy that is trusted.
    case xForwardedProto

    /// The shim's slot.
    var slot: http_field {
        switch self {
        case .accept: HTTP_FIELD_ACCEPT
        case .acceptLanguage: HTTP_FIELD_ACCEPT_LANGUAGE
        case .accessControlRequestHeaders: HTTP_FIELD_ACCESS_CONTROL_REQUEST_HEADERS
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
        case .xForwardedFor: HTTP_FIELD_X_FORWARDED_FOR
        case .xForwardedHost: HTTP_FIELD_X_FORWARDED_HOST
        case .xForwardedProto: HTTP_FIELD_X_FORWARDED_PROTO
        }
    }
}
