import HTTP
import Sessions

typealias Header = Response.Header

extension Response {
    /// An answer of this service: JSON, and not to be kept by any cache.
    static func json(_ body: [UInt8], status: Int = 200, headers: [Header]) -> Response {
        Response(status: status, headers: [.json, .noStore] + headers, body: .bytes(body))
    }

    /// What a view model shows: the answer that is given most, its headers in one list.
    static func view(_ view: View) -> Response {
        Response(headers: [.json, .noStore, Header(.eTag, view.entityTag)], body: .bytes(view.json))
    }
}

extension Response.Header {
    static let json = Header(.contentType, "application/json")
    static let noStore = Header(.cacheControl, "no-store")
}
