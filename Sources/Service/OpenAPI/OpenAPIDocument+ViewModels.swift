import ViewModels

extension OpenAPIDocument {
    /// The paths of one view model: itself, its facets, its actions.
    static func viewModelPaths(of viewModel: Declaration) -> [YAML.Member] {
        let name = viewModel.name.rawValue
        let itself = path("/\(name)", ["get": showing(name, of: viewModel, summary: viewModel.summary, schema: name)])
        let facets = viewModel.facets.map { facet in
            path(
                "/\(name)/\(facet.name)",
                [
                    "get": showing(
                        "\(name)-\(facet.name)", of: viewModel, summary: facet.summary, schema: "\(name)-\(facet.name)")
                ])
        }
        let actions = viewModel.actions.map { action in
            path(
                "/\(name)/\(action.name)",
                [
                    "post": operation(
                        "\(name)-\(action.name)", tag: name, action.summary, parameters: ["IfMatch", "IdempotencyKey"],
                        body: action.input.map(requestBody),
                        answers: [
                            answer(
                                200,
                                json(
                                    "The new state.", reference("schemas", name),
                                    headers: ["ETag", "Cache-Control", "Idempotency-Replayed"]))
                        ],
                        problems: [400, 401, 403, 409, 412, 413, 415, 422, 429, 503])
                ])
        }
        return [itself] + facets + actions
    }

    private static func showing(_ id: String, of viewModel: Declaration, summary: String, schema: String) -> YAML {
        operation(
            id, tag: viewModel.name.rawValue, summary, parameters: ["IfNoneMatch"],
            answers: [
                answer(
                    200,
                    json(
                        "The state.", reference("schemas", schema), headers: ["ETag", "Cache-Control"])),
                answer(
                    304,
                    [
                        "description": "The state is the one of the entity tag.",
                        "headers": .map(answerHeaders(["ETag", "Cache-Control"])),
                    ]),
            ],
            problems: [400, 401, 503])
    }

    private static func requestBody(_ input: ActionInput) -> YAML {
        [
            "required": true,
            "content": [
                "application/json": [
                    "schema": YAML(input.schema), "example": .json(input.example),
                ]
            ],
        ]
    }

    static func viewModelSchemas(of viewModel: Declaration) -> [YAML.Member] {
        let name = viewModel.name.rawValue
        let values = freshValues(of: viewModel)
        let all = viewModel.outputs.indices
        return [YAML.Member(key: name, value: schema(of: viewModel, outputs: Array(all), values: values))]
            + viewModel.facets.map { facet in
                YAML.Member(
                    key: "\(name)-\(facet.name)", value: schema(of: viewModel, outputs: facet.outputs, values: values))
            }
    }

    private static func schema(of viewModel: Declaration, outputs: [Int], values: [[UInt8]]) -> YAML {
        let declarations = outputs.map { viewModel.outputs[$0] }
        let properties = declarations.map { output in
            YAML.Member(
                key: output.name.rawValue,
                value: YAML(output.schema)
                    + (output.summary.isEmpty ? .map([]) : ["description": .text(output.summary)]))
        }
        let required = declarations.map { YAML.text($0.name.rawValue) }
        let schema = YAML.map([
            "type": "object", "required": .list(required), "properties": .map(properties),
            "additionalProperties": false,
        ])
        guard values.count == viewModel.outputs.count else { return schema }
        let example = JSON.object(declarations.map(\.name)) { values[outputs[$0]] }
        return schema + ["examples": [.json(example)]]
    }

    /// What a view model shows that nobody has acted on yet.
    private static func freshValues(of viewModel: Declaration) -> [[UInt8]] {
        guard let instance = try? viewModel.make(in: ViewModelContext()) else { return [] }
        return viewModel.outputs.indices.compactMap { try? instance.encodedOutput(at: $0) }
    }
}
