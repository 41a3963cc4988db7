import ViewModels

extension OpenAPIDocument {
    /// The schemas, parameters, headers, problem responses and security schemes that the paths refer to.
    static func components(of catalogue: Catalogue) -> YAML {
        [
            "schemas": .map(
                catalogue.viewModels.flatMap(viewModelSchemas) + sessionSchemas(of: catalogue)
                    + changeSchemas(of: catalogue) + aroundSchemas),
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

    private static var aroundSchemas: [YAML.Member] {
        [
            YAML.Member(
                key: "Index",
                value: [
                    "type": "object", "required": ["name", "version", "links"],
                    "properties": [
                        "name": ["type": "string"], "version": ["type": "string"], "links": ["type": "object"],
                    ],
                ]),
            YAML.Member(key: "Problem", value: problemSchema),
        ]
    }

    private static func parameters(of catalogue: Catalogue) -> [YAML.Member] {
        let topics = catalogue.viewModels.flatMap { viewModel in
            [viewModel.name.rawValue] + viewModel.facets.map { "\(viewModel.name)/\($0.name)" }
        }
        let tags = #"^(\*|(W/)?"[!#-~]*"(, (W/)?"[!#-~]*")*)$"#
        return [
            parameter(
                "since", in: "query", "The place after which to tell; nothing for a snapshot.",
                ["type": "string", "pattern": .text(cursorPattern)]),
            parameter(
                "wait", in: "query",
                "Seconds to wait for a change, 25 if not told; cut down to 55, and by up to a tenth at random, so that clients spread out.",
                ["type": "number", "minimum": 0]),
            parameter(
                "topics", in: "query", "View models and facets to hear of, separated by commas; all if not told.",
                ["type": "array", "minItems": 1, "items": ["enum": .list(topics.map(YAML.text))]],
                style: ["style": "form", "explode": false]),
            parameter("values", in: "query", "none leaves the values out.", ["enum": ["all", "none"]]),
            parameter(
                "LastEventID", "Last-Event-ID", in: "header", "In an event stream, the cursor; wins over since.",
                ["type": "string", "pattern": .text(cursorPattern)]),
            parameter(
                "IfNoneMatch", "If-None-Match", in: "header", "304 where the state is still that of the tag.",
                ["type": "string", "pattern": .text(tags), "examples": ["*", "\"k3Qm7w.43\""]]),
            parameter(
                "IfMatch", "If-Match", in: "header", "412 where the state is no longer that of the tag.",
                ["type": "string", "pattern": .text(tags), "examples": ["*", "\"k3Qm7w.43\""]]),
            parameter(
                "IdempotencyKey", "Idempotency-Key", in: "header",
                "The action happens once for a key, its path and its body; a repeat is answered with the first outcome.",
                [
                    "type": "string", "pattern": .text(#"^("[!#-~]{1,255}"|[!#-~]{1,255})$"#),
                    "examples": [.text("\"order-7\"")],
                ]),
            parameter(
                "BinderySession", "Bindery-Session", in: "header",
                "The id of the session that is meant; 401 session-changed where the credentials lead to another.",
                ["type": "string", "pattern": .text(sessionIDPattern)]),
            parameter(
                "AcceptLanguage", "Accept-Language", in: "header", "The session's language, ja or en.",
                ["type": "string"]),
        ]
    }

    private static func parameter(
        _ key: String, _ name: String? = nil, in place: String, _ description: String, _ schema: YAML,
        style: YAML = .map([])
    ) -> YAML.Member {
        let head = YAML.map([
            "name": .text(name ?? key), "in": .text(place), "required": false, "description": .text(description),
        ])
        return YAML.Member(key: key, value: head + style + ["schema": schema])
    }

    private static var headers: YAML {
        [
            "Request-Id": header("The request's id, the same as in the log and in a problem's instance."),
            "ETag": header("The cursor of the view model's last change, in double quotes."),
            "Cache-Control": header("no-store"),
            "Idempotency-Replayed": header("true where the answer is that of an earlier request with the same key."),
            "Location": header("/session"),
            "Set-Cookie": header("The token, for browsers."),
            "Retry-After": header("Seconds after which to try again."),
        ]
    }

    private static func header(_ description: String) -> YAML {
        ["description": .text(description), "schema": ["type": "string"]]
    }
}
