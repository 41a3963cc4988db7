import ViewModels

/// The values of view models in the template of the OpenAPI description.
struct ViewModelValues {
    private let catalogue: Catalogue
    private let language: Language
    /// Names of components and tags, and ids of operations.
    private var names: UniqueNames
    private var ids: UniqueNames

    /// - Parameters:
    ///   - language: the language of the examples.
    ///   - template: its own names are in use.
    init(_ catalogue: Catalogue, _ language: Language, beside template: Template) {
        (self.catalogue, self.language) = (catalogue, language)
        func own(_ line: Regex<(Substring, Substring)>) -> [String] {
            template.lines.compactMap { $0.wholeMatch(of: line).map { String($0.1) } }
        }
        names = UniqueNames(beside: ["service"] + own(/\ {4}([A-Z]\w+):/))
        ids = UniqueNames(beside: own(/\ {6}operationId: (\w+)/))
    }

    /// The values of one view model: its views, which are itself and its facets, and its actions.
    mutating func values(of viewModel: ViewModelDescription) -> Template.Values {
        let name = viewModel.name
        let component = names.name(name)
        var views = [view(of: viewModel, nil, component)]
        for facet in viewModel.facets {
            views.append(view(of: viewModel, facet, names.name("\(name).\(facet.name)")))
        }
        return [
            "name": .quoted(name), "tag": .quoted(component), "summary": .quoted(viewModel.summary),
            "component": .text(component), "view": .list(views),
            "state": .text(OpenAPIDocument.state(of: name, in: catalogue, language)),
            "action": .list(viewModel.actions.map { action($0, of: name) }),
        ]
    }

    private mutating func view(
        of viewModel: ViewModelDescription, _ facet: ViewModelDescription.Facet?, _ component: String
    ) -> Template.Values {
        let name = viewModel.name
        let outputs = (facet?.outputs ?? Array(viewModel.outputs.indices)).map { viewModel.outputs[$0] }
        return [
            "path": .text("/" + name + (facet.map { "/\($0.name)" } ?? "")),
            "id": .text(id("get", name, facet?.name ?? "")), "component": .text(component),
            "summary": .quoted(facet?.summary ?? viewModel.summary),
            "state": .text(OpenAPIDocument.state(of: name, facet, in: catalogue, language)),
            "outputs": .text(YAMLText.list(outputs.map(\.name))),
            "output": .list(
                outputs.map {
                    ["name": .quoted($0.name), "schema": .text($0.schema.openAPI(summary: $0.summary))]
                }),
        ]
    }

    private mutating func action(_ action: ViewModelDescription.Action, of viewModel: String) -> Template.Values {
        let own = Dictionary(grouping: action.refusals, by: \.kind.status)
        let body = action.input.map { schema -> Template.Values in
            [
                "schema": .text(schema.openAPI(isClosed: true)),
                "example": .text(YAMLText.printable(action.example)),
            ]
        }
        return [
            "path": .text("/\(viewModel)/\(action.name)"), "id": .text(id(action.name, viewModel)),
            "summary": .quoted(action.summary), "body": .list(body.map { [$0] } ?? []),
            "refusal": .list(own.sorted { $0.key < $1.key }.map { ProblemValues.refusal($0, $1) }),
            "problem": .list(
                ProblemValues.ofActions.filter { own[$0] == nil }.map { ["status": .text(String($0))] }),
        ]
    }

    /// A name for a method of a client: `incrementCounter` of the parts `increment` and `counter`.
    private mutating func id(_ parts: String...) -> String {
        let words = parts.flatMap { $0.split(separator: "-") }
        let id = words.enumerated().map { $0 == 0 ? String($1) : $1.prefix(1).uppercased() + $1.dropFirst() }
        return ids.name(id.joined())
    }
}
