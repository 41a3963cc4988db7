import ViewModels

extension OpenAPIDocument {
    /// What is around the view models.
    static func aroundPaths(of catalogue: Catalogue, _ program: ServedProgram) -> [YAML.Member] {
        [
            path(
                "/",
                [
                    "get": operation(
                        "showIndex", tag: "service", "What is here: view models, their requests, and links.",
                        answers: [
                            answer(
                                200,
                                json(
                                    "The service, its view models and its links.", reference("schemas", "ServiceIndex"),
                                    example: ServiceIndex(catalogue: catalogue, of: program).value))
                        ],
                        problems: [503], isOpen: true)
                ]),
            path(
                "/livez",
                [
                    "get": operation(
                        "checkLiveness", tag: "service", "Whether the process answers.",
                        answers: [answer(200, health("It does.", "alive"))], problems: [503], isOpen: true)
                ]),
            path(
                "/readyz",
                [
                    "get": operation(
                        "checkReadiness", tag: "service",
                        "Whether the store answers and the server is not about to stop.",
                        answers: [answer(200, health("It is ready.", "ready"))], problems: [503], isOpen: true)
                ]),
        ]
    }

    private static func health(_ description: String, _ word: String) -> YAML {
        json(description, reference("schemas", "Health"), example: ["status": .text(word)])
    }

    static var aroundSchemas: [YAML.Member] {
        let request = YAML.map([
            "path": ["type": "string"], "methods": ["type": "array", "items": ["type": "string"]],
            "summary": ["type": "string"],
        ])
        func requests(_ more: YAML) -> YAML {
            [
                "type": "array",
                "items": [
                    "type": "object", "required": ["path", "methods", "summary"], "properties": request + more,
                ],
            ]
        }
        return [
            YAML.Member(
                key: "ServiceIndex",
                value: [
                    "type": "object", "required": ["name", "version", "bindery", "languages", "viewModels", "links"],
                    "properties": [
                        "name": ["type": "string", "description": "What the program is called."],
                        "version": ["type": "string", "description": "The program's; 0.0.0 where it has none."],
                        "bindery": ["type": "string", "description": "The version of Bindery in it."],
                        "languages": [
                            "type": "array", "items": ["type": "string"],
                            "description": "Those it speaks, the default first.",
                        ],
                        "viewModels": [
                            "type": "array",
                            "items": [
                                "type": "object", "required": ["name", "path", "methods", "summary"],
                                "properties": ["name": ["type": "string"]] + request + [
                                    "facets": requests(.map([])),
                                    "actions": requests([
                                        "body": ["description": "A body to begin with."],
                                        "schema": [
                                            "type": "object",
                                            "description": "The body's JSON Schema, as it stands here.",
                                        ],
                                    ]),
                                ],
                            ],
                        ],
                        "links": ["type": "object", "additionalProperties": ["type": "string"]],
                    ],
                ]),
            YAML.Member(
                key: "Health",
                value: ["type": "object", "required": ["status"], "properties": ["status": ["type": "string"]]]),
        ]
    }
}
