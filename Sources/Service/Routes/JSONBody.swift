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

/// A media type with its parameters, as in `Content-Type`, read to the letter (RFC 9110, section 8.3.1).
///
/// A reader that stops at the first word takes `application/json, text/plain` for JSON, and the next one does not.
struct MediaType {
    /// Type and subtype, in lower case.
    let essence: String
    /// The names in lower case, the values without the quotes around them.
    let parameters: [(name: String, value: [UInt8])]

    /// Reads a field's value; nil where it is malformed.
    init?(_ field: String) {
        // Byte by byte: this is read on an event loop, and may be as long as a head.
        var rest = Array(field.utf8)[...]
        guard let type = Self.token(&rest), rest.popFirst() == UInt8(ascii: "/"), let subtype = Self.token(&rest) else {
            return nil
        }
        var parameters: [(String, [UInt8])] = []
        while !rest.isEmpty {
            rest = rest.drop(while: Self.isSpace)
            guard rest.popFirst() == UInt8(ascii: ";") else { return nil }
            rest = rest.drop(while: Self.isSpace)
            // There may be none behind a semicolon (section 5.6.6).
            if rest.isEmpty || rest.first == UInt8(ascii: ";") { continue }
            guard let name = Self.token(&rest), rest.popFirst() == UInt8(ascii: "="), let value = Self.value(&rest)
            else { return nil }
            parameters.append((Self.plain(name), value))
        }
        essence = Self.plain(type) + "/" + Self.plain(subtype)
        self.parameters = parameters
    }

    /// `application/json`, or a type with the suffix `+json` (RFC 6839, section 3.1).
    var isJSON: Bool {
        essence == "application/json" || (essence.hasPrefix("application/") && essence.hasSuffix("+json"))
    }

    /// Whether it names no other charset; JSON knows none, but many name it (RFC 8259, sections 8.1 and 11).
    var isUTF8: Bool {
        parameters.allSatisfy { name, value in
            switch name {
            case "charset": ["utf-8", "utf8", "us-ascii"].contains { value.spell($0) }
            // The same in another spelling (RFC 8187), to whoever knows it.
            case "charset*": false
            default: true
            }
        }
    }

    private static func token(_ rest: inout ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
        let token = rest.prefix(while: isTokenByte)
        rest = rest.dropFirst(token.count)
        return token.isEmpty ? nil : token
    }

    /// A token, or a text in double quotes (section 5.6.4).
    private static func value(_ rest: inout ArraySlice<UInt8>) -> [UInt8]? {
        guard rest.first == UInt8(ascii: "\"") else { return token(&rest).map(Array.init) }
        rest.removeFirst()
        var value: [UInt8] = []
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "\"") { return value }
            guard byte != UInt8(ascii: "\\") else {
                guard let quoted = rest.popFirst() else { return nil }
                value.append(quoted)
                continue
            }
            value.append(byte)
        }
        return nil
    }

    private static func plain(_ token: ArraySlice<UInt8>) -> String {
        String(
            decoding: token.map { UInt8(ascii: "A")...UInt8(ascii: "Z") ~= $0 ? $0 | 0x20 : $0 }, as: UTF8.self)
    }

    private static func isTokenByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
        }
    }

    private static func isSpace(_ byte: UInt8) -> Bool { byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") }
}
