import ViewModels

extension OpenAPIDocument {
    /// The paths that begin, show, change and end sessions.
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
                                    reference("schemas", "BegunSession"), example: .json(begunExample),
                                    headers: ["Location", "Set-Cookie", "Cache-Control"],
                                    links: [
                                        "changes": changesLink(
                                            since: "$response.body#/cursor",
                                            "What changes in the session: send its token as Authorization: Bearer too.")
                                    ]))
                        ],
                        problems: [403, 413, 415, 422, 429, 503], isOpen: true)
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
                                    reference("schemas", "Session"),
                                    example: .json(shownExample(of: catalogue, in: catalogue.languages.standard)),
                                    headers: ["Cache-Control", "Content-Language"],
                                    links: [
                                        "changes": changesLink(
                                            since: "$response.body#/cursor", "What changes in what is shown.")
                                    ]))
                        ],
                        problems: [401, 500, 503]),
                    "patch": operation(
                        "changeSession", tag: "sessions",
                        "Changes the session's language: what is shown otherwise in it is told as changes, all of one seq. The public "
                            + "session's stays as it is.",
                        body: patchBody(of: catalogue),
                        answers: [
                            answer(
                                200,
                                json(
                                    "The session as it is then; a language that is spoken already changes nothing.",
                                    reference("schemas", "Session"),
                                    example: .json(shownExample(of: catalogue, in: patchExample(of: catalogue))),
                                    headers: ["Cache-Control", "Content-Language"]))
                        ],
                        problems: [401, 403, 413, 415, 422, 429, 500, 503]),
                    "delete": operation(
                        "endSession", tag: "sessions",
                        "Ends the session; its polls and streams end with session-ended.",
                        answers: [
                            answer(
                                204,
                                [
                                    "description": "The session is gone.",
                                    "headers": .map(answerHeaders(["Cache-Control"])),
                                ])
                        ],
                        problems: [401, 403, 503]),
                ]),
        ]
    }

    private static let begunExample = Array(
        #"{"id":"Jk2vYt0qTzWb5e8","token":"3q2-7wAAQEBAn5vXcLkZ_A","expiresIn":86400,"cursor":"k3Qm7w.0"}"#.utf8)

    private static func patchBody(of catalogue: Catalogue) -> YAML {
        let content: YAML = [
            "schema": reference("schemas", "SessionPatch"),
            "example": ["language": .text(patchExample(of: catalogue).rawValue)],
        ]
        return ["required": true, "content": ["application/merge-patch+json": content, "application/json": content]]
    }

    /// Another than that of a new session, where there is one.
    private static func patchExample(of catalogue: Catalogue) -> Language {
        catalogue.languages.all.last ?? catalogue.languages.standard
    }

    private static func shownExample(of catalogue: Catalogue, in language: Language) -> [UInt8] {
        let viewModels = JSON.object(catalogue.viewModels.map(\.name)) { place in
            freshState(of: catalogue.viewModels[place], in: language) ?? Array("{}".utf8)
        }
        let head =
            #"{"id":"Jk2vYt0qTzWb5e8","public":false,"cursor":"k3Qm7w.0","expiresIn":86400,"#
            + #""language":"\#(language)","viewModels":"#
        return Array(head.utf8) + viewModels + [UInt8(ascii: "}")]
    }

    static func sessionSchemas(of catalogue: Catalogue, called names: ComponentNames) -> [YAML.Member] {
        let viewModels = catalogue.viewModels.map(\.name)
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
                    "type": "object", "required": ["id", "public", "cursor", "expiresIn", "language", "viewModels"],
                    "properties": [
                        "id": reference("schemas", "SessionID"),
                        "public": [
                            "type": "boolean", "description": "Whether it is the session of all who bring no token.",
                        ],
                        "cursor": reference("schemas", "Cursor"),
                        "expiresIn": reference("schemas", "ExpiresIn"),
                        "language": [
                            "type": "string", "enum": .list(catalogue.languages.all.map { .text($0.rawValue) }),
                            "description": "What its view models speak: a language tag of BCP 47.",
                        ],
                        "viewModels": [
                            "type": "object", "required": .list(viewModels.map { .text($0.rawValue) }),
                            "properties": .map(
                                viewModels.map { name in
                                    YAML.Member(
                                        key: name.rawValue, value: reference("schemas", names.component(of: name)))
                                }),
                        ],
                    ],
                ]),
            YAML.Member(
                key: "SessionPatch",
                value: [
                    "type": "object", "additionalProperties": false,
                    "description": "What is to be changed, as a JSON merge patch (RFC 7396).",
                    "properties": [
                        "language": [
                            "type": "string",
                            "description": .text(
                                "A language tag of BCP 47 of which one is spoken by RFC 4647 lookup, as `de-CH` in `de`: "
                                    + catalogue.languages.all.map(\.rawValue).joined(separator: ", ") + "."),
                        ]
                    ],
                ]),
            YAML.Member(
                key: "SessionID",
                value: [
                    "type": "string", "pattern": "^[A-Za-z0-9_-]{1,64}$", "examples": ["Jk2vYt0qTzWb5e8"],
                    "description": "Names the session and opens nothing; may be sent along as Bindery-Session.",
                ]),
            YAML.Member(
                key: "ExpiresIn",
                value: [
                    "type": "integer", "format": "int64", "minimum": 0, "examples": [86400],
                    "description": "Seconds after which the session ends if nobody uses it.",
                ]),
        ]
    }
}
