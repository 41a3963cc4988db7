import ViewModels

extension OpenAPIDocument {
    /// One operation of a path.
    ///
    /// - Parameters:
    ///   - answers: the answers other than problems, by status.
    ///   - problems: the statuses it may report a problem with, besides those that any request may be refused with.
    ///   - refusals: what an action declares.
    static func operation(
        _ id: String, tag: String, _ summary: String, parameters: [String] = [], body: YAML? = nil,
        answers: [YAML.Member], problems: [Int], refusals: [ActionRefusal.Declared] = [], isOpen: Bool = false
    ) -> YAML {
        var members = YAML.map(["operationId": .text(id), "tags": [.text(tag)], "summary": .text(summary)])
        if isOpen { members = members + ["security": []] }
        // Whatever needs a session can be told which is meant.
        let parameters = parameters + (isOpen ? [] : ["BinderySession"])
        if !parameters.isEmpty {
            members = members + ["parameters": .list(parameters.map { reference("parameters", $0) })]
        }
        if let body { members = members + ["requestBody": body] }
        // Any path can be asked for with a query it does not know, too slowly, at too great a length, or under a name that
        // is none of the server's.
        let problems = Set([400, 414, 421, 431] + problems)
        let refusals = Dictionary(grouping: refusals, by: \.kind.status)
        let failures = problems.union(refusals.keys).sorted().map { status in
            let response =
                refusals[status].map { problemResponse(status, refusals: $0, isAlone: !problems.contains(status)) }
                ?? reference("responses", problemName(status))
            return YAML.Member(key: String(status), value: response)
        }
        return members + ["responses": .map(answers + failures)]
    }

    /// A name for a method of a client: `incrementCounter` of the parts `increment` and `counter`.
    static func operationID(_ parts: String...) -> String {
        let words = parts.flatMap { $0.split(separator: "-") }
        return words.enumerated().map { $0 == 0 ? String($1) : $1.prefix(1).uppercased() + $1.dropFirst() }.joined()
    }

    /// A path with its operations; what GET answers, HEAD answers too, without the body.
    static func path(_ path: String, _ operations: KeyValuePairs<String, YAML>) -> YAML.Member {
        YAML.Member(key: path, value: .map(operations))
    }

    static func answer(_ status: Int, _ response: YAML) -> YAML.Member {
        YAML.Member(key: String(status), value: response)
    }

    static func json(
        _ description: String, _ schema: YAML, example: YAML? = nil, headers: [String] = [],
        links: YAML = .map([])
    ) -> YAML {
        let content = ["schema": schema] + (example.map { ["example": $0] } ?? .map([]))
        let response = YAML.map([
            "description": .text(description), "headers": .map(answerHeaders(headers)),
            "content": ["application/json": content],
        ])
        return links == .map([]) ? response : response + ["links": links]
    }

    static func answerHeaders(_ names: [String] = []) -> [YAML.Member] {
        (["Request-Id"] + names).map { YAML.Member(key: $0, value: reference("headers", $0)) }
    }

    static func reference(_ kind: String, _ name: String) -> YAML {
        ["$ref": .text("#/components/\(kind)/\(name)")]
    }
}
