import HTTP

extension Request {
    /// The body, which has to be declared as JSON where there is one, in UTF-8 and without a coding: what another reader
    /// on the way would read otherwise is not read.
    ///
    /// - Throws: ``Problem``, 415.
    func jsonBody() throws -> [UInt8] {
        let body = body
        guard !body.isEmpty else { return body }
        if let coding = header(.contentEncoding),
            !["", "identity"].contains(coding.lowercased()) || isRepeated(.contentEncoding)
        {
            throw ProblemType.notJSON.problem(
                "Send the body as it is, without Content-Encoding.", headers: [Header("Accept-Encoding", "identity")])
        }
        guard let type = header(.contentType), Self.isJSON(type) else { throw ProblemType.notJSON.problem() }
        guard Self.isUTF8(type) else {
            throw ProblemType.notJSON.problem("Send JSON in UTF-8, without another charset.")
        }
        return body
    }

    /// `application/json`, or a type with the suffix `+json` (RFC 6839, section 3.1).
    private static func isJSON(_ contentType: String) -> Bool {
        let type = contentType.prefix { $0 != ";" && $0 != " " && $0 != "\t" }.lowercased()
        return type == "application/json" || (type.hasPrefix("application/") && type.hasSuffix("+json"))
    }

    /// Whether it names no other charset; JSON knows none, but many name it (RFC 8259, sections 8.1 and 11).
    private static func isUTF8(_ contentType: String) -> Bool {
        contentType.lowercased().split(separator: ";").dropFirst().allSatisfy { parameter in
            let pair = parameter.split(separator: "=", maxSplits: 1).map { $0.filter { !" \t\"".contains($0) } }
            return pair.first != "charset" || ["utf-8", "utf8", "us-ascii"].contains(pair.last)
        }
    }
}
