import ViewModels

extension OpenAPIDocument {
    /// The paths that begin, show and end sessions.
    static func sessionPaths(of catalogue: Catalogue) -> [YAML.Member] {
        [
            path(
                "/sessions",
                [
                    "post": operation(
                        "beginSession", tag: "sessions",
                        "Begins a session; its language is taken from Accept-Language.",
                        parameters: ["AcceptLanguage"],
                        answers: [
                            answer(
                                201,
                                json(
                                    "The session's token, to be sent as a Bearer token or as the cookie that is set.",
                                    reference("schemas", "BegunSession"),
                                    headers: ["Location", "Set-Cookie", "Cache-Control"]))
                        ],
                        problems: [400, 403, 413, 415, 422, 429, 503], isOpen: true)
                ]),
            path(
                "/session",
                [
                    "get": operation(
                        "showSession", tag: "sessions", "The whole presentation state.",
                        answers: [
                            answer(
                                200,
                                json(
                                    "Every view model and the cursor from which to ask for changes.",
                                    reference("schemas", "Session"), headers: ["Cache-Control"]))
                        ],
                        problems: [400, 401, 503]),
                    "delete": operation(
                        "endSession", tag: "sessions",
                        "Ends the session; its polls end with session-ended. The public session begins anew.",
                        answers: [
                            answer(
                                204,
                                [
                                    "description": "The session is gone.",
                                    "headers": .map(answerHeaders(["Cache-Control"])),
                                ])
                        ],
                        problems: [400, 401, 403, 503]),
                ]),
        ]
    }

    static func sessionSchemas(of catalogue: Catalogue) -> [YAML.Member] {
        let viewModels = catalogue.viewModels.map(\.name.rawValue)
        return [
            YAML.Member(
                key: "BegunSession",
                value: [
                    "type": "object", "required": ["id", "token", "expiresIn", "cursor"],
                    "properties": [
                        "id": reference("schemas", "SessionID"),
                        "token": [
                            "type": "string", "pattern": "^[A-Za-z0-9_-]{22}$",
                            "description": "The secret by which the session is found again; shown this once.",
                        ],
                        "expiresIn": reference("schemas", "ExpiresIn"),
                        "cursor": reference("schemas", "Cursor"),
                    ],
                ]),
            YAML.Member(
                key: "Session",
                value: [
                    "type": "object", "required": ["id", "public", "cursor", "expiresIn", "viewModels"],
                    "properties": [
                        "id": reference("schemas", "SessionID"),
                        "public": [
                            "type": "boolean",
                            "description": "Whether it is the session that all who bring no token share.",
                        ],
                        "cursor": reference("schemas", "Cursor"),
                        "expiresIn": reference("schemas", "ExpiresIn"),
                        "viewModels": [
                            "type": "object", "required": .list(viewModels.map(YAML.text)),
                            "properties": .map(
                                viewModels.map { YAML.Member(key: $0, value: reference("schemas", $0)) }),
                        ],
                    ],
                ]),
            YAML.Member(
                key: "SessionID",
                value: [
                    "type": "string", "pattern": .text(sessionIDPattern),
                    "description": "Names the session and opens nothing; for Bindery-Session.",
                ]),
            YAML.Member(
                key: "ExpiresIn",
                value: [
                    "type": "integer", "minimum": 0,
                    "description": "Seconds after which the session ends if nobody uses it.",
                ]),
        ]
    }

    static let sessionIDPattern = "^[A-Za-z0-9_-]{15}$"
}
