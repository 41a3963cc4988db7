import HTTP
import ViewModels

extension OpenAPIDocument {
    /// A response for each status with which the service reports a problem.
    static let problemResponses = Set(serviceProblems.map(\.status)).sorted().map { status in
        YAML.Member(key: problemName(status), value: problemResponse(status))
    }

    /// What the service itself reports; what view models do is described where they declare it.
    private static let serviceProblems = ProblemType.ofService + ProblemType.ofServer

    /// The problems of a status, naming the types they may have.
    ///
    /// - Parameters:
    ///   - refusals: those that an action declares with the status.
    ///   - isAlone: whether the service itself reports none.
    static func problemResponse(
        _ status: Int, refusals: [ActionRefusal.Declared] = [], isAlone: Bool = false
    ) -> YAML {
        let types = isAlone ? [] : serviceProblems.filter { $0.status == status }
        let own = refusals.map { "`/problems/\($0.kind.type)`: \($0.summary)" }
        let names = types.map { "`/problems/\($0.slug)`" }.joined(separator: ", ")
        let others = types.isEmpty ? [] : [types.map(\.title).joined(separator: "; ") + ". Types: \(names)."]
        let problem = refusals.first.map { Problem(ActionRefusal($0.kind, $0.summary)) } ?? types.first?.problem()
        // An action's own refusal is remembered under a key.
        let headers =
            (problemHeaders[status] ?? []) + (refusals.isEmpty ? [] : ["ETag", "Idempotency-Replayed"])
            + ["Content-Language"]
        return [
            "description": .text((own + others).joined(separator: " ")),
            "headers": .map(answerHeaders(headers)),
            "content": [
                "application/problem+json": [
                    "schema": reference("schemas", "Problem"),
                    "example": .json(problem?.response(instance: "8dwc1rme-5").body.bytes ?? []),
                ]
            ],
        ]
    }

    private static let problemHeaders = [
        401: ["WWW-Authenticate"], 405: ["Allow"], 429: ["Retry-After"], 503: ["Retry-After"],
    ]

    /// The name under which the problems of a status stand among the components.
    static func problemName(_ status: Int) -> String { "Problem\(status)" }

    static var problemSchema: YAML {
        [
            "type": "object", "required": ["type", "title", "status", "detail", "instance"],
            "description":
                "RFC 9457. Title and detail are in the language that Accept-Language likes best of those that there are, English where it "
                + "says nothing; all else is the same in each.",
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
                        "With wrong-shape, and with a refusal of the action's own that is about one, the member, as a JSON Pointer "
                        + "in a fragment (RFC 6901, section 6); one that would have more than 256 bytes "
                        + "is cut there and ends in an ellipsis, U+2026.",
                ],
                "viewModel": ["type": "string", "description": "With model-unreadable, the view model's name."],
                "state": [
                    "type": "object",
                    "description": "With a refusal of the action's own, as action-disabled, what the view model shows.",
                ],
            ],
        ]
    }
}
