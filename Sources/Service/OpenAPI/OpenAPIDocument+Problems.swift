import HTTP

extension OpenAPIDocument {
    /// A response for each status with which a problem is reported, naming the types it may have.
    static var problemResponses: [YAML.Member] {
        Dictionary(grouping: ProblemType.all, by: \.status).sorted { $0.key < $1.key }.map { status, types in
            let names = types.map { "`/problems/\($0.slug)`" }.joined(separator: ", ")
            let example = types.first.map { $0.problem().response(instance: "8dwc1rme-5").body.bytes } ?? []
            return YAML.Member(
                key: problemName(status),
                value: [
                    "description": .text(types.map(\.title).joined(separator: "; ") + ". Types: \(names)."),
                    "headers": .map(answerHeaders(problemHeaders[status] ?? [])),
                    "content": [
                        "application/problem+json": [
                            "schema": reference("schemas", "Problem"), "example": .json(example),
                        ]
                    ],
                ])
        }
    }

    private static let problemHeaders = [
        401: ["WWW-Authenticate"], 405: ["Allow"], 429: ["Retry-After"], 503: ["Retry-After"],
    ]

    /// The name under which the problems of a status stand among the components.
    static func problemName(_ status: Int) -> String { "Problem\(status)" }

    static var problemSchema: YAML {
        [
            "type": "object", "required": ["type", "title", "status", "detail", "instance"],
            "description": "RFC 9457.",
            "properties": [
                // No enumeration: a client must not stumble over a kind that is added later.
                "type": [
                    "type": "string", "examples": ["/problems/action-disabled"],
                    "description": "Names the kind; the responses list the kinds of each status. More may be added.",
                ],
                "title": ["type": "string"],
                "status": ["type": "integer", "format": "int32"],
                "detail": ["type": "string", "description": "In plain words, what to do."],
                "instance": ["type": "string", "description": "The request's id."],
                "pointer": [
                    "type": "string", "examples": ["#/id"],
                    "description":
                        "With wrong-shape, the member, as a JSON Pointer in a fragment (RFC 6901, section 6); one that would "
                        + "have more than 256 bytes is cut there and ends in an ellipsis, U+2026.",
                ],
                "viewModel": ["type": "string", "description": "With model-unreadable, the view model's name."],
                "state": ["type": "object", "description": "With action-disabled, what the view model shows."],
            ],
        ]
    }
}
