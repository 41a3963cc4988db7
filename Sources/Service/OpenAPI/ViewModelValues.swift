import ViewModels

/// The values of view models in the template of the OpenAPI description.
struct ViewModelValues {
    private let catalogue: Catalogue
    private let language: Language
    /// The names of components, tags and operations, as ``inCode(_:)``.
    private var names: Set<String>

    /// - Parameters:
    ///   - language: the language of the examples.
    ///   - template: its own names are in use.
    init(_ catalogue: Catalogue, _ language: Language, beside template: Template) {
        (self.catalogue, self.language) = (catalogue, language)
        let own = template.lines.compactMap { line in
            (line.wholeMatch(of: /\ {4}([A-Z]\w+):/) ?? line.wholeMatch(of: /\ {6}operationId: (\w+)/))?.1
        }
        names = Set((own + ["service"]).map { Self.inCode(String($0)) })
    }

    /// The values of one view model: its views, which are itself and its facets, and its actions.
    mutating func values(of viewModel: ViewModelDescription) -> Template.Values {
        let component = unique(viewModel.name)
        var views = [view(of: viewModel, nil, component)]
        for facet in viewModel.facets {
            views.append(view(of: viewModel, facet, unique("\(viewModel.name).\(facet.name)")))
        }
        return [
            "name": .quoted(viewModel.name), "tag": .quoted(component), "summary": .quoted(viewModel.summary),
            "component": .text(component), "view": .list(views), "state": .text(state(of: viewModel.name)),
            "action": .list(viewModel.actions.map { action($0, of: viewModel.name) }),
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
            "summary": .quoted(facet?.summary ?? viewModel.summary), "state": .text(state(of: name, facet)),
            "outputs": .text(YAMLText.list(outputs.map(\.name))),
            "output": .list(
                outputs.map {
                    ["name": .quoted($0.name), "schema": .text($0.schema.openAPI(summary: $0.summary))]
                }),
        ]
    }

    /// The outputs before the first action, as JSON text.
    func state(of name: String, _ facet: ViewModelDescription.Facet? = nil) -> String {
        guard let part = try? catalogue.initial(name, language: language) else { return "{}" }
        return YAMLText.printable(catalogue.body(of: part, name, facet: facet))
    }

    private mutating func action(_ action: ViewModelDescription.Action, of viewModel: String) -> Template.Values {
        let refusals = Dictionary(grouping: action.refusals, by: \.kind.status)
        let body = action.input.map { schema -> Template.Values in
            [
                "schema": .text(schema.openAPI(isClosed: true)),
                "example": .text(YAMLText.printable(action.example)),
            ]
        }
        let others = ProblemType.statusesOfActions.filter { refusals[$0] == nil }
        return [
            "path": .text("/\(viewModel)/\(action.name)"), "id": .text(id(action.name, viewModel)),
            "summary": .quoted(action.summary), "body": .list(body.map { [$0] } ?? []),
            "refusal": .list(
                refusals.sorted { $0.key < $1.key }.map { ProblemType.response(to: $0.value, status: $0.key) }),
            "problem": .list(others.map { ["status": .text("\($0)")] }),
        ]
    }

    /// A name for a method of a client: `incrementCounter` of the parts `increment` and `counter`.
    private mutating func id(_ parts: String...) -> String {
        let words = parts.flatMap { $0.split(separator: "-") }
        let id = words.enumerated().map { $0 == 0 ? String($1) : $1.prefix(1).uppercased() + $1.dropFirst() }
        return unique(id.joined())
    }

    /// The name, with a number behind it where an earlier name is the same in code.
    private mutating func unique(_ name: String) -> String {
        var (own, count) = (name, 1)
        while !names.insert(Self.inCode(own)).inserted {
            count += 1
            own = "\(name)\(count)"
        }
        return own
    }

    /// A name as a generator of code may keep it: letters and digits, in another case.
    private static func inCode(_ name: String) -> String { name.lowercased().filter { $0.isLetter || $0.isNumber } }
}
