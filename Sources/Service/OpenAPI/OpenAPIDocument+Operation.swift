extension OpenAPIDocument {
    /// One operation of a path.
    ///
    /// - Parameters:
    ///   - answers: the answers other than problems, by status.
    ///   - problems: the statuses it may report a problem with.
    static func operation(
        _ id: String, tag: String, _ summary: String, parameters: [String] = [], body: YAML? = nil,
        answers: [YAML.Member], problems: [Int], isOpen: Bool = false
    ) -> YAML {
        var members = YAML.map(["operationId": .text(id), "tags": [.text(tag)], "summary": .text(summary)])
        if isOpen { members = members + ["security": []] }
        // Whatever needs a session can be told which is meant.
        let parameters = parameters + (isOpen ? [] : ["BinderySession"])
        if !parameters.isEmpty {
            members = members + ["parameters": .list(parameters.map { reference("parameters", $0) })]
        }
        if let body { members = members + ["requestBody": body] }
        // Any path can be asked for under a name that is none of the server's.
        let failures = (problems + [421]).sorted().map {
            YAML.Member(key: String($0), value: reference("responses", problemName($0)))
        }
        return members + ["responses": .map(answers + failures)]
    }

    /// A path with a read operation, which HEAD answers too, without the body.
    static func path(_ path: String, _ operations: KeyValuePairs<String, YAML>) -> YAML.Member {
        YAML.Member(key: path, value: .map(operations))
    }

    static func answer(_ status: Int, _ response: YAML) -> YAML.Member {
        YAML.Member(key: String(status), value: response)
    }

    static func json(
        _ description: String, _ schema: YAML, example: [UInt8]? = nil, headers: [String] = []
    ) -> YAML {
        var content = YAML.map(["schema": schema])
        if let example { content = content + ["example": .json(example)] }
        return [
            "description": .text(description), "headers": .map(answerHeaders(headers)),
            "content": ["application/json": content],
        ]
    }

    static func answerHeaders(_ names: [String] = []) -> [YAML.Member] {
        (["Request-Id"] + names).map { YAML.Member(key: $0, value: reference("headers", $0)) }
    }

    static func reference(_ kind: String, _ name: String) -> YAML {
        ["$ref": .text("#/components/\(kind)/\(name)")]
    }
}
