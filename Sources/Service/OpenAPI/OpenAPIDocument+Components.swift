import ViewModels

extension OpenAPIDocument {
    /// The schemas, parameters, headers, problem responses and security schemes that the paths refer to.
    static func components(of catalogue: Catalogue, called names: ComponentNames) -> YAML {
        [
            "schemas": .map(
                catalogue.viewModels.flatMap { viewModelSchemas(of: $0, called: names) } + typeSchemas(called: names)
                    + serviceSchemas(of: catalogue, called: names)),
            "parameters": .map(parameters(of: catalogue)),
            "headers": headers,
            "responses": .map(problemResponses),
            "securitySchemes": [
                "bearer": [
                    "type": "http", "scheme": "bearer",
                    "description": "The token of POST /sessions. Without a token, the session is the public one.",
                ],
                "cookie": [
                    "type": "apiKey", "in": "cookie", "name": "bindery-session",
                    "description": "The same token; named __Host-bindery-session where cookies are for HTTPS alone.",
                ],
            ],
        ]
    }

    /// What types, view models and facets are called beside what is there already.
    static func names(in catalogue: Catalogue) -> ComponentNames {
        let own = serviceSchemas(of: catalogue, called: ComponentNames())
        return ComponentNames(of: catalogue, beside: own.map(\.key), tags: ownTags.map(\.name))
    }

    /// Those that are there whatever is hosted.
    static func serviceSchemas(of catalogue: Catalogue, called names: ComponentNames) -> [YAML.Member] {
        sessionSchemas(of: catalogue, called: names) + changeSchemas + aroundSchemas
            + [YAML.Member(key: "Problem", value: problemSchema)]
    }

    private static func parameters(of catalogue: Catalogue) -> [YAML.Member] {
        let (topics, languages) = (catalogue.topics, catalogue.languages)
        return [
            parameter(
                "since", in: "query",
                "The place after which to tell, an ETag with its quotes or without; nothing for a snapshot.",
                ["type": "string", "pattern": .text("^(\(cursor)|\"\(cursor)\")$")], example: "k3Qm7w.43"),
            parameter(
                "wait", in: "query",
                "Seconds to wait for a change, 25 if not told; cut down to 55, or what the server allows, and by up to a tenth at random, so that clients spread out.",
                ["type": "number", "format": "double", "minimum": 0], example: 25),
            parameter(
                "topics", in: "query", "View models and facets to hear of, separated by commas; all if not told.",
                [
                    "type": "array", "minItems": 1,
                    "items": ["type": "string", "enum": .list(topics.map(YAML.text))],
                ],
                style: ["style": "form", "explode": false],
                example: .list(topics.prefix(1).map(YAML.text))),
            parameter(
                "values", in: "query", "none leaves the values out.",
                ["type": "string", "enum": ["all", "none"]], example: "all"),
            parameter(
                "LastEventID", "Last-Event-ID", in: "header", "In an event stream, the cursor; wins over since.",
                ["type": "string", "pattern": .text("^(\(cursor)|\"\(cursor)\")$")], example: "k3Qm7w.43"),
            parameter(
                "IfNoneMatch", "If-None-Match", in: "header", "304 where the state is still that of the tag.",
                ["type": "string", "pattern": .text(entityTags)], example: "\"k3Qm7w.43\""),
            parameter(
                "IfMatch", "If-Match", in: "header", "412 where the state is no longer that of the tag.",
                ["type": "string", "pattern": .text(entityTags)], example: "*"),
            parameter(
                "IdempotencyKey", "Idempotency-Key", in: "header",
                "The action happens once for a key, its path and its body; a repeat is answered with the first outcome, for as "
                    + "long as the server keeps it: an hour, in the public session ten minutes, unless its operator says "
                    + "otherwise. What cannot be guessed, such as a UUID, is a good key.",
                ["type": "string", "pattern": .text(#"^("[!#-~]{1,255}"|[!#-+.-~-]{1,255})$"#)], example: "\"order-7\""),
            parameter(
                "BinderySession", "Bindery-Session", in: "header",
                "The id of the session that is meant; 401 session-changed where the credentials lead to another.",
                ["type": "string", "pattern": "^[A-Za-z0-9_-]{1,64}$"]),
            parameter(
                "AcceptLanguage", "Accept-Language", in: "header",
                "The languages one likes. The session speaks the first that is spoken: "
                    + "\(languages.all.map(\.rawValue).joined(separator: ", ")); else \(languages.standard).",
                ["type": "string"], example: .text(languages.standard.rawValue)),
        ]
    }

    /// The cursors that are given out.
    private static let cursor = #"[A-Za-z0-9_-]{1,16}\.(0|[1-9][0-9]{0,18})"#
    private static let entityTags = #"^(\*|(W/)?"[!#-~]*"(, (W/)?"[!#-~]*")*)$"#

    private static func parameter(
        _ key: String, _ name: String? = nil, in place: String, _ description: String, _ schema: YAML,
        style: YAML = .map([]), example: YAML? = nil
    ) -> YAML.Member {
        let head = YAML.map([
            "name": .text(name ?? key), "in": .text(place), "required": false, "description": .text(description),
        ])
        return YAML.Member(
            key: key, value: head + style + ["schema": schema] + (example.map { ["example": $0] } ?? .map([])))
    }

    private static var headers: YAML {
        [
            "Request-Id": header(
                "The request's id, as in the log and in a problem's instance; a replayed problem has that of its first request. "
                    + "An answer that clients share has none.",
                example: "8dwc1rme-5"),
            "ETag": header(
                "The cursor of the view model's last change, in double quotes.", example: "\"k3Qm7w.43\""),
            "Cache-Control": header("Not to be kept.", example: "no-store"),
            "Content-Language": header(
                "What the view models speak, or a problem's title and detail; not of a refusal in its view model's own words.",
                example: "ja"),
            "Idempotency-Replayed": header(
                "true where the answer is that of an earlier request with the same key.", example: "true"),
            "Location": header("Where the session is shown.", example: "/session"),
            "Set-Cookie": header(
                "The token, for browsers.",
                example: "bindery-session=3q2-7wAAQEBAn5vXcLkZ_A; HttpOnly; SameSite=Lax; Path=/"),
            "Retry-After": header("Seconds after which to try again.", example: "1"),
            "Allow": header("The methods that the path has.", example: "GET, HEAD"),
            "WWW-Authenticate": header("How to say who is asking.", example: "Bearer"),
        ]
    }

    private static func header(_ description: String, example: String) -> YAML {
        ["description": .text(description), "schema": ["type": "string"], "example": .text(example)]
    }
}
