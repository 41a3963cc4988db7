import ViewModels

extension OpenAPIDocument {
    /// The paths of one view model, with examples in a language: itself, its facets, its actions.
    static func viewModelPaths(
        of viewModel: Declaration, called names: ComponentNames, in language: Language
    ) -> [YAML.Member] {
        let name = viewModel.name.rawValue
        let itself = path("/\(name)", ["get": showing(viewModel, called: names, in: language)])
        let facets = viewModel.facets.map {
            path("/\(name)/\($0.name)", ["get": showing(viewModel, facet: $0, called: names, in: language)])
        }
        let actions = viewModel.actions.map {
            path("/\(name)/\($0.name)", ["post": performing($0, of: viewModel, called: names, in: language)])
        }
        return [itself] + facets + actions
    }

    private static func performing(
        _ action: ActionDeclaration, of viewModel: Declaration, called names: ComponentNames, in language: Language
    ) -> YAML {
        let name = viewModel.name.rawValue
        return operation(
            operationID(action.name.rawValue, name), tag: names.tag(of: viewModel.name), action.summary,
            parameters: ["IfMatch", "IdempotencyKey"], body: action.input.map { requestBody($0, called: names) },
            answers: [
                answer(
                    200,
                    json(
                        "The new state.", reference("schemas", names.component(of: viewModel.name)),
                        example: freshState(of: viewModel, in: language).map(YAML.json),
                        headers: ["ETag", "Cache-Control", "Idempotency-Replayed"],
                        links: ["changes": changesLink(since: "$response.header.ETag", "What came after the action.")]))
            ],
            problems: [401, 403, 412, 413, 415, 422, 429, 500, 503, 504], refusals: action.refusals)
    }

    private static func showing(
        _ viewModel: Declaration, facet: FacetDeclaration? = nil, called names: ComponentNames, in language: Language
    ) -> YAML {
        let name = viewModel.name.rawValue
        return operation(
            operationID("get", name, facet?.name.rawValue ?? ""), tag: names.tag(of: viewModel.name),
            facet?.summary ?? viewModel.summary,
            parameters: ["IfNoneMatch"],
            answers: [
                answer(
                    200,
                    json(
                        "The state.", reference("schemas", names.component(of: viewModel.name, facet?.name)),
                        example: freshState(of: viewModel, facet: facet, in: language).map(YAML.json),
                        headers: ["ETag", "Cache-Control"],
                        links: [
                            "changes": changesLink(since: "$response.header.ETag", "What came after what is shown.")
                        ]
                    )),
                answer(
                    304,
                    [
                        "description": "The state is the one of the entity tag.",
                        "headers": .map(answerHeaders(["ETag", "Cache-Control"])),
                    ]),
            ],
            problems: [401, 500, 503])
    }

    private static func requestBody(_ input: ActionInput, called names: ComponentNames) -> YAML {
        [
            "required": true,
            "content": [
                "application/json": [
                    "schema": YAML(input.schema, isClosed: true, called: names), "example": .json(input.example),
                ]
            ],
        ]
    }

    static func viewModelSchemas(of viewModel: Declaration, called names: ComponentNames) -> [YAML.Member] {
        [YAML.Member(key: names.component(of: viewModel.name), value: schema(of: viewModel, called: names))]
            + viewModel.facets.map { facet in
                YAML.Member(
                    key: names.component(of: viewModel.name, facet.name),
                    value: schema(of: viewModel, facet: facet, called: names))
            }
    }

    static func typeSchemas(called names: ComponentNames) -> [YAML.Member] {
        names.types.map {
            YAML.Member(key: $0.component, value: YAML($0.schema.unfolded, isClosed: $0.isClosed, called: names))
        }
    }

    private static func schema(
        of viewModel: Declaration, facet: FacetDeclaration? = nil, called names: ComponentNames
    ) -> YAML {
        let outputs = (facet?.outputs ?? Array(viewModel.outputs.indices)).map { viewModel.outputs[$0] }
        let properties = outputs.map { output in
            YAML.Member(
                key: output.name.rawValue,
                value: .described(YAML(output.schema, called: names), output.summary))
        }
        // Open to more: a view model that shows something new breaks no client that was generated before.
        return [
            "type": "object", "required": .list(outputs.map { .text($0.name.rawValue) }),
            "properties": .map(properties),
        ]
    }

    /// What a view model shows in a language that nobody has acted on yet, as JSON text; nil where that cannot be said.
    static func freshState(
        of viewModel: Declaration, facet: FacetDeclaration? = nil, in language: Language
    ) -> [UInt8]? {
        guard let instance = try? viewModel.make(in: ViewModelContext(language: language)) else { return nil }
        let outputs = facet?.outputs ?? Array(viewModel.outputs.indices)
        let values = outputs.compactMap { try? instance.encodedOutput(at: $0) }
        guard values.count == outputs.count else { return nil }
        return JSON.object(outputs.map { viewModel.outputs[$0].name }) { values[$0] }
    }
}
