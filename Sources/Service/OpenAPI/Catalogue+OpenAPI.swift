import ViewModels

extension Catalogue {
    /// The OpenAPI 3.1 description of a server with these view models: `fixed.yaml` with their paths, in YAML 1.2.
    package func openAPI(of program: (name: String, version: String), _ languages: Languages) -> [UInt8] {
        let names = sessionViewModels.map(\.name)
        let views = viewModels.flatMap(\.views)
        let topics = sessionViewModels.flatMap(\.views).map { $0.names.joined(separator: "/") }
        let values = [
            "program": program.name.quoted, "version": program.version.quoted,
            "languages": languages.all.map(\.rawValue).quoted, "language": languages.standard.rawValue.quoted,
            "topics": topics.quoted, "topic": topics.first?.quoted ?? "", "names": names.quoted,
            "properties": names.map { "            \"\($0)\": { $ref: \"#/components/schemas/\($0)\" }" }.lines,
            "paths": viewModels.flatMap(\.operations).lines, "schemas": views.map(\.schema).lines,
            "problems": Self.problems,
        ]
        let fixed = String(decoding: PackageResources.fixed_yaml, as: UTF8.self)
        let filled = fixed.split(separator: "\n").filter { !$0.hasPrefix("#") }.joined(separator: "\n")
            .replacing(/<([a-zA-Z]+)>/) { values[String($0.1)] ?? String($0.0) }
        return Array("# Made from the view models of \(program.name.quoted). Do not edit.\n\(filled)\n".utf8)
    }

    /// The kinds of problems, one line per status.
    private static var problems: String {
        Dictionary(grouping: ProblemType.allCases, by: \.row.status).sorted { $0.key < $1.key }.map { status, types in
            "        - \(status): \(types.map { "`\($0.slug)`" }.joined(separator: ", "))"
        }.lines
    }
}

/// The body of a GET of a view model or of a facet.
private struct View {
    /// The name of the view model, then that of the facet.
    let names: [String]
    let summary: String
    let outputs: [ViewModelDescription.Output]
    var isSeenByFacet = false

    var component: String { names.joined(separator: ".") }

    var schema: String {
        let properties = outputs.map { "        \"\($0.name)\": \($0.schema.openAPI(summary: $0.summary))" }
        return """
                \(component):
                  type: object
                  required: \((isSeenByFacet ? [] : outputs.map(\.name)).quoted)
                  properties:
            \(properties.lines)
            """
    }

    /// The 200 answer with this body.
    var response: String {
        """
                "200":
                  description: The state.
                  headers: { ETag: { $ref: "#/components/headers/ETag" } }
                  content: { application/json: { schema: { $ref: "#/components/schemas/\(component)" } } }
        """
    }
}

extension ViewModelDescription {
    fileprivate var views: [View] {
        [View(names: [name], summary: summary, outputs: outputs, isSeenByFacet: isSeenByFacet)]
            + facets.map { facet in
                View(names: [name, facet.name], summary: facet.summary, outputs: places(of: facet).map { outputs[$0] })
            }
    }

    /// The operations of the view model, each with its path.
    fileprivate var operations: [String] {
        let gets = views.map { view in
            operation(
                "get", ([path] + view.names.dropFirst()).joined(separator: "/"), ["get"] + view.names, view.summary,
                parameters: ["IfMatch", "IfNoneMatch", "BinderySession"],
                responses: [view.response, reference("304", "NotModified")])
        }
        let posts = actions.map { action in
            let body = action.input.map { schema in
                """

                      requestBody:
                        required: true
                        content:
                          application/json:
                            schema: \(schema.openAPI(isClosed: true))
                            example: \(String(decoding: action.example, as: UTF8.self))
                """
            }
            let refusals = Dictionary(grouping: action.refusals, by: \.kind.status).sorted { $0.key < $1.key }
            let refused = refusals.map { status, refusals in
                let words = refusals.map { "`/problems/\($0.kind.type)`: \($0.summary)" }.joined(separator: " ")
                return """
                            "\(status)":
                              description: \(words.quoted)
                              content: { application/problem+json: { schema: { $ref: "#/components/schemas/Problem" } } }
                    """
            }
            return operation(
                "post", "\(path)/\(action.name)", [action.name, name], action.summary, body: body ?? "",
                parameters: ["IfMatch", "IdempotencyKey", "BinderySession"],
                responses: [views[0].response] + refused)
        }
        let changes = operation(
            "get", "\(path)/changes", ["get", name, "changes"],
            "Shows the changes of the entity after a cursor, like /changes.",
            parameters: ["Since", "Wait", "EntityTopics", "Values", "LastEventID", "BinderySession"],
            responses: [reference("200", "Changes")])
        return gets + posts + (keys == nil ? [] : [changes])
    }

    /// An operation.
    ///
    /// - Parameter id: the parts of the operationId: `increment` and `counter` for `incrementCounter`.
    private func operation(
        _ method: String, _ path: String, _ id: [String], _ summary: String, body: String = "", parameters: [String],
        responses: [String]
    ) -> String {
        let words = id.flatMap { $0.split(separator: "-") }.map { $0.prefix(1).uppercased() + $0.dropFirst() }.joined()
        let references = parameters.map { "        - $ref: \"#/components/parameters/\($0)\"" }
        return """
              \(path):
                \(method):
                  operationId: \(words.prefix(1).lowercased() + words.dropFirst())
                  tags: [\(name.quoted)]
                  summary: \(summary.quoted)
                  parameters:
            \((key + references).lines)\(body)
                  responses:
            \(responses.lines)
                    default: { $ref: "#/components/responses/Problem" }
            """
    }

    private func reference(_ status: String, _ response: String) -> String {
        "        \"\(status)\": { $ref: \"#/components/responses/\(response)\" }"
    }

    /// The path parameter of named entities.
    private var key: [String] {
        guard let keys else { return [] }
        let values = keys.names.map { "enum: \($0.quoted)" } ?? "pattern: \"^[A-Za-z0-9_-]{1,64}$\""
        let schema = "{ type: string, \(values) }"
        return ["        - { name: key, in: path, required: true, description: Names the entity., schema: \(schema) }"]
    }
}

extension String {
    /// The text as a JSON string; YAML 1.2 reads it as the same text.
    package var quoted: String { String(decoding: JSONValue.string(self).text, as: UTF8.self) }
}

extension [String] {
    /// The texts as a list on one line, for JSON and YAML.
    var quoted: String { "[\(map(\.quoted).joined(separator: ", "))]" }

    fileprivate var lines: String { joined(separator: "\n") }
}
