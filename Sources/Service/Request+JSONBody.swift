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
            isRepeated(.contentEncoding) || !["", "identity"].contains(where: { coding.utf8.spell($0) })
        {
            throw ProblemType.notJSON.problem(
                "Send the body as it is, without Content-Encoding.", headers: [Header("Accept-Encoding", "identity")])
        }
        guard !isRepeated(.contentType), let type = header(.contentType).flatMap(MediaType.init), type.isJSON else {
            throw ProblemType.notJSON.problem()
        }
        guard type.isUTF8 else {
            throw ProblemType.notJSON.problem("Send JSON in UTF-8, without another charset.")
        }
        return body
    }
}
