#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension Problem {
    /// The answer that says it; `instance` is the request's id.
    public func response(instance: String) -> Response {
        var response = Response(
            status: status,
            headers: [
                Response.Header(.contentType, "application/problem+json"),
                Response.Header(.cacheControl, "no-store"),
            ] + headers,
            body: .bytes(json(instance: instance)))
        response.closesConnection = closesConnection
        return response
    }

    /// The problem as JSON text, the members in the order of RFC 9457.
    func json(instance: String) -> [UInt8] {
        var json = Array(#"{"type":"#.utf8)
        json += Self.quoted("/problems/" + slug)
        json += #","title":"#.utf8
        json += Self.quoted(title)
        json += #","status":\#(status),"detail":"#.utf8
        json += Self.quoted(detail)
        json += #","instance":"#.utf8
        json += Self.quoted(instance)
        for member in members {
            json.append(UInt8(ascii: ","))
            json += Self.quoted(member.name)
            json.append(UInt8(ascii: ":"))
            json += member.json
        }
        json.append(UInt8(ascii: "}"))
        return json
    }

    private static func quoted(_ text: String) -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .withoutEscapingSlashes
        // A String always encodes; were it otherwise, an empty text still leaves the JSON well-formed.
        return (try? encoder.encode(text)).map { Array($0) } ?? Array(#""""#.utf8)
    }
}
