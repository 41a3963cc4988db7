import HTTP
import ViewModels

/// The OpenAPI 3.1 description of a server: `fixed.yaml`, with the view models filled in.
package struct OpenAPIDocument: Sendable {
    /// The description as YAML 1.2, in UTF-8.
    package let text: [UInt8]

    /// Describes a server that hosts a catalogue.
    ///
    /// - Parameter languages: the languages of the outputs.
    package init(catalogue: Catalogue, program: ServedProgram, languages: Languages) {
        let fixed = String(decoding: PackageResources.fixed_yaml, as: UTF8.self)
        let origin = "# Made from the view models of \(YAMLText.quoted(program.name)). Do not edit.\n"
        var lines = ViewModelLines(catalogue, languages.standard, beside: fixed)
        for viewModel in catalogue.viewModels { lines.add(viewModel) }
        let language = languages.standard.rawValue
        let topics = catalogue.sessionViewModels.flatMap { viewModel in
            [viewModel.name] + viewModel.facets.map { "\(viewModel.name)/\($0.name)" }
        }
        var values = lines.places.mapValues { $0.joined(separator: "\n") }
        values.merge([
            "program": YAMLText.quoted(program.name), "version": YAMLText.quoted(program.version),
            "languages": YAMLText.list(languages.all.map(\.rawValue)), "language": YAMLText.quoted(language),
            "otherLanguage": YAMLText.quoted(languages.all.last?.rawValue ?? language),
            "topics": YAMLText.list(topics), "topic": YAMLText.quoted(topics.first ?? ""),
            "names": YAMLText.list(catalogue.sessionViewModels.map(\.name)), "problems": Self.problems,
        ]) { $1 }
        let filled = fixed.split(separator: "\n").filter { !$0.hasPrefix("#") }.joined(separator: "\n")
            .replacing(/<([a-zA-Z]+)>/) { values[String($0.1)] ?? String($0.0) }
        text = Array((origin + filled + "\n").utf8)
    }

    /// The kinds of problems, a line for each status.
    private static var problems: String {
        Dictionary(grouping: ProblemType.all, by: \.status).sorted { $0.key < $1.key }.map { status, types in
            "        - \(status): \(types.map { "`\($0.slug)`" }.joined(separator: ", "))"
        }.joined(separator: "\n")
    }
}

/// The lines of view models in the description.
private struct ViewModelLines {
    /// By the name of their place.
    private(set) var places: [String: [String]] = [:]
    private let catalogue: Catalogue
    private let language: Language
    /// The names of components and operations, in lower case without punctuation, as a generator of code may keep them.
    private var names: Set<String>

    /// - Parameters:
    ///   - language: the language of the examples.
    ///   - fixed: the fixed part, whose names are in use.
    init(_ catalogue: Catalogue, _ language: Language, beside fixed: String) {
        (self.catalogue, self.language) = (catalogue, language)
        let used = fixed.matches(of: /\n {4}([A-Z]\w+):|operationId: (\w+)|{ name: (\w+), description/)
        names = Set(used.compactMap { ($0.1 ?? $0.2 ?? $0.3)?.lowercased() })
    }

    /// The name, with a number behind it where a generator would take it for an earlier one.
    private mutating func unique(_ name: String) -> String {
        func isNew(_ name: String) -> Bool {
            names.insert(name.lowercased().filter { $0.isLetter || $0.isNumber }).inserted
        }
        if isNew(name) { return name }
        var count = 2
        while !isNew("\(name)\(count)") { count += 1 }
        return "\(name)\(count)"
    }

    private mutating func add(_ place: String, _ lines: String) { places[place, default: []].append(lines) }

    /// A name for a method of a client: `incrementCounter` of the parts `increment` and `counter`.
    private mutating func operation(_ parts: String...) -> String {
        let words = parts.flatMap { $0.split(separator: "-") }.map { $0.prefix(1).uppercased() + $0.dropFirst() }
            .joined()
        return unique(words.prefix(1).lowercased() + words.dropFirst())
    }

    /// Adds a view model: its views, which are itself and its facets, and its actions.
    mutating func add(_ viewModel: ViewModelDescription) {
        let name = viewModel.name
        let component = unique(name)
        let tag = YAMLText.quoted(component)
        add("tags", "  - { name: \(tag), description: \(YAMLText.quoted(viewModel.summary)) }")
        if viewModel.keys == nil {
            add("properties", "            \"\(name)\": { $ref: \"#/components/schemas/\(component)\" }")
            add("states", "              \"\(name)\": \(state(of: name, nil))")
        }
        addView(of: viewModel, nil, component, tag)
        for facet in viewModel.facets { addView(of: viewModel, facet, unique("\(name).\(facet.name)"), tag) }
        for action in viewModel.actions { add(action, of: viewModel, component, tag) }
        if viewModel.keys != nil { addChanges(of: viewModel, tag) }
    }

    /// The parameter of the path, for named entities.
    private func key(of viewModel: ViewModelDescription) -> String {
        guard let keys = viewModel.keys else { return "" }
        let values = keys.names.map { "enum: \(YAMLText.list($0))" } ?? "pattern: \"^[A-Za-z0-9_-]{1,64}$\""
        let schema = "{ type: string, \(values) }"
        return "\n        - { name: key, in: path, required: true, description: Names the entity., schema: \(schema) }"
    }

    private mutating func addChanges(of viewModel: ViewModelDescription, _ tag: String) {
        add(
            "paths",
            """
              \(viewModel.path)/changes:
                get:
                  operationId: \(operation("get", viewModel.name, "changes"))
                  tags: [\(tag)]
                  summary: The changes of the entity after a cursor, as at /changes. The topic is the path without the first slash.
                  parameters:\(key(of: viewModel))
                    - $ref: "#/components/parameters/Since"
                    - $ref: "#/components/parameters/Wait"
                    - $ref: "#/components/parameters/Values"
                    - $ref: "#/components/parameters/LastEventID"
                    - $ref: "#/components/parameters/BinderySession"
                  responses:
                    "200": { $ref: "#/components/responses/Changes" }
                    default: { $ref: "#/components/responses/Problem" }
            """)
    }

    /// The outputs before the first action, as JSON text.
    private func state(of name: String, _ facet: ViewModelDescription.Facet?) -> String {
        guard let part = try? catalogue.initial(name, language: language) else { return "{}" }
        return YAMLText.printable(catalogue.body(of: part, name, facet: facet))
    }

    private mutating func addView(
        of viewModel: ViewModelDescription, _ facet: ViewModelDescription.Facet?, _ component: String, _ tag: String
    ) {
        let path = facet.map { "\(viewModel.path)/\($0.name)" } ?? viewModel.path
        let outputs = (facet?.outputs ?? Array(viewModel.outputs.indices)).map { viewModel.outputs[$0] }
        add(
            "schemas",
            """
                \(component):
                  type: object
                  required: \(YAMLText.list(outputs.map(\.name)))
                  properties:
            """)
        for output in outputs {
            add("schemas", "        \"\(output.name)\": \(output.schema.openAPI(summary: output.summary))")
        }
        add(
            "responses",
            """
                \(component):
                  description: The state.
                  headers:
                    ETag: { $ref: "#/components/headers/ETag" }
                    Idempotency-Replayed: { $ref: "#/components/headers/Idempotency-Replayed" }
                  content:
                    application/json:
                      schema: { $ref: "#/components/schemas/\(component)" }
                      example: \(state(of: viewModel.name, facet))
                  links: { changes: { $ref: "#/components/links/AfterTag" } }
            """)
        add(
            "paths",
            """
              \(path):
                get:
                  operationId: \(operation("get", viewModel.name, facet?.name ?? ""))
                  tags: [\(tag)]
                  summary: \(YAMLText.quoted(facet?.summary ?? viewModel.summary))
                  parameters:\(key(of: viewModel))
                    - $ref: "#/components/parameters/IfMatch"
                    - $ref: "#/components/parameters/IfNoneMatch"
                    - $ref: "#/components/parameters/BinderySession"
                  responses:
                    "200": { $ref: "#/components/responses/\(component)" }
                    "304": { $ref: "#/components/responses/NotModified" }
                    default: { $ref: "#/components/responses/Problem" }
            """)
    }

    private mutating func add(
        _ action: ViewModelDescription.Action, of viewModel: ViewModelDescription, _ component: String, _ tag: String
    ) {
        add(
            "paths",
            """
              \(viewModel.path)/\(action.name):
                post:
                  operationId: \(operation(action.name, viewModel.name))
                  tags: [\(tag)]
                  summary: \(YAMLText.quoted(action.summary))
                  parameters:\(key(of: viewModel))
                    - $ref: "#/components/parameters/IfMatch"
                    - $ref: "#/components/parameters/IdempotencyKey"
                    - $ref: "#/components/parameters/BinderySession"
            """)
        if let input = action.input {
            add(
                "paths",
                """
                      requestBody:
                        required: true
                        content:
                          application/json:
                            schema: \(input.openAPI(isClosed: true))
                            example: \(YAMLText.printable(action.example))
                """)
        }
        add(
            "paths",
            """
                  responses:
                    "200": { $ref: "#/components/responses/\(component)" }
            """)
        for (status, refusals) in Dictionary(grouping: action.refusals, by: \.kind.status).sorted(by: {
            $0.key < $1.key
        }) {
            let words = refusals.map { "`/problems/\($0.kind.type)`: \($0.summary)" }.joined(separator: " ")
            add(
                "paths",
                """
                        "\(status)":
                          description: \(YAMLText.quoted(words))
                          content: { application/problem+json: { schema: { $ref: "#/components/schemas/Problem" } } }
                """)
        }
        add("paths", "        default: { $ref: \"#/components/responses/Problem\" }")
    }
}
