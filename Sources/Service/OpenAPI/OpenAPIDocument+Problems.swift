extension OpenAPIDocument {
    /// A response for each status with which a problem is reported, naming the types it may have.
    static var problemResponses: [YAML.Member] {
        Dictionary(grouping: ProblemType.all, by: \.status).sorted { $0.key < $1.key }.map { status, types in
            let names = types.map { "`/problems/\($0.slug)`" }.joined(separator: ", ")
            let retry = [429, 503].contains(status) ? ["Retry-After"] : []
            return YAML.Member(
                key: problemName(status),
                value: [
                    "description": .text(types.map(\.title).joined(separator: "; ") + ". Types: \(names)."),
                    "headers": .map(answerHeaders(retry)),
                    "content": ["application/problem+json": ["schema": reference("schemas", "Problem")]],
                ])
        }
    }

    /// The name under which the problems of a status stand among the components.
    static func problemName(_ status: Int) -> String { "Problem\(status)" }

    static var problemSchema: YAML {
        [
            "type": "object", "required": ["type", "title", "status", "detail", "instance"],
            "description": "RFC 9457.",
            "properties": [
                "type": ["type": "string", "enum": .list(ProblemType.all.map { .text("/problems/\($0.slug)") })],
                "title": ["type": "string"],
                "status": ["type": "integer"],
                "detail": ["type": "string", "description": "In plain words, what to do."],
                "instance": ["type": "string", "description": "The request's id."],
                "pointer": [
                    "type": "string",
                    "description":
                        "With wrong-shape, the member, as a JSON Pointer in a fragment (RFC 6901, section 6).",
                ],
                "state": ["type": "object", "description": "With action-disabled, what the view model shows."],
            ],
        ]
    }
}
