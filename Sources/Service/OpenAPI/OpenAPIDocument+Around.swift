extension OpenAPIDocument {
    /// What is around the view models.
    static var aroundPaths: [YAML.Member] {
        [
            path(
                "/",
                [
                    "get": operation(
                        "index", tag: "service", "What is here, with links.",
                        answers: [answer(200, json("The service and its links.", reference("schemas", "Index")))],
                        problems: [400, 503], isOpen: true)
                ]),
            path(
                "/openapi.yaml",
                [
                    "get": operation(
                        "description", tag: "service", "This description.",
                        answers: [
                            answer(
                                200,
                                [
                                    "description": "The description in YAML.", "headers": .map(answerHeaders()),
                                    "content": ["application/yaml": ["schema": ["type": "object"]]],
                                ])
                        ],
                        problems: [400, 503], isOpen: true)
                ]),
            path(
                "/livez",
                [
                    "get": operation(
                        "live", tag: "service", "Whether the process answers.",
                        answers: [answer(200, json("It does.", status("alive")))], problems: [400, 503], isOpen: true)
                ]),
            path(
                "/readyz",
                [
                    "get": operation(
                        "ready", tag: "service", "Whether the store answers and the server is not about to stop.",
                        answers: [answer(200, json("It is ready.", status("ready")))], problems: [400, 503],
                        isOpen: true)
                ]),
        ]
    }

    private static func status(_ word: String) -> YAML {
        ["type": "object", "required": ["status"], "properties": ["status": ["const": .text(word)]]]
    }
}
