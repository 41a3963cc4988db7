import HTTP

extension Request {
    /// The body, which has to be declared as JSON where there is one.
    ///
    /// - Throws: ``Problem``, 415.
    func jsonBody() throws -> [UInt8] {
        let body = body
        guard body.isEmpty || header(.contentType).map(Self.isJSON) == true else {
            throw ProblemType.notJSON.problem()
        }
        return body
    }

    /// `application/json`, or a type with the suffix `+json` (RFC 6839, section 3.1).
    private static func isJSON(_ contentType: String) -> Bool {
        let type = contentType.prefix { $0 != ";" && $0 != " " && $0 != "\t" }.lowercased()
        return type == "application/json" || (type.hasPrefix("application/") && type.hasSuffix("+json"))
    }
}
