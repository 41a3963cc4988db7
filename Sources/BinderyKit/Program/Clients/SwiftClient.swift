import Service
import ViewModels

/// Swift code by which an app asks for a program's view models, without the program's own code: a structure for each, with its
/// outputs, and a method for each action.
struct SwiftClient {
    let catalogue: Catalogue
    let program: ServedProgram

    /// The file.
    var text: String {
        var names = ClientNames(taken: SwiftTypes.taken)
        let parts = catalogue.viewModels.flatMap { Self.viewModel($0, &names) }
        let head = """
            // The view models of \(program.name), for BinderyClient.
            // Written by `\(program.name) client swift`: whoever changes it loses that when it is written again.
            // swift-format-ignore-file

            import BinderyClient
            import Foundation

            """
        return head + parts.dropLast().map { "\n\($0)" }.joined() + "\n"
    }

    private static func viewModel(_ viewModel: Declaration, _ names: inout ClientNames) -> [String] {
        let name = names.type(viewModel.name.rawValue)
        var types = SwiftTypes(in: name)
        let shown = presented(name, viewModel.summary, topic: "\"\(viewModel.name)\"", viewModel.outputs) {
            types.type(for: $0.schema, called: ClientNames.typeName($0.name.rawValue))
        }
        let actions = actions(of: viewModel, name, &types)
        let nested = types.lines.isEmpty ? [] : ["", "extension \(name) {"] + types.lines.indented() + ["}"]
        let facets = viewModel.facets.flatMap { facet in
            let topic = "\"\(viewModel.name)\", facet: \"\(facet.name)\""
            let outputs = facet.outputs.map { viewModel.outputs[$0] }
            return [""]
                + presented(names.type("\(viewModel.name)-\(facet.name)"), facet.summary, topic: topic, outputs) {
                    // Has its type already.
                    qualified(types.type(for: $0.schema, called: ""), in: name)
                }
        }
        return shown + nested + actions + facets + [""]
    }

    /// A structure whose properties name the outputs.
    private static func presented(
        _ name: String, _ summary: String, topic: String, _ outputs: [OutputDeclaration],
        type: (OutputDeclaration) -> String
    ) -> [String] {
        var names = ClientNames(taken: ["self"])
        var properties: [String] = []
        var listed = [topic]
        for output in outputs {
            let property = SwiftTypes.quoted(names.member(output.name.rawValue))
            properties += SwiftTypes.comment(output.summary) + ["public let \(property): \(type(output))"]
            listed.append("ShownOutput(\"\(output.name)\", \\.\(property))")
        }
        return SwiftTypes.comment(summary) + ["public struct \(name): Presented {"] + properties.indented() + [
            "    public static let presentation = Presentation<\(name)>(",
            "        \(listed.joined(separator: ",\n        ")))", "}",
        ]
    }

    /// A method for each action, for a view model that is bound to and one that is not.
    private static func actions(of viewModel: Declaration, _ name: String, _ types: inout SwiftTypes) -> [String] {
        guard !viewModel.actions.isEmpty else { return [] }
        var names = ClientNames(taken: ["self"])
        var methods: [String] = []
        for action in viewModel.actions {
            let body = action.input.map {
                types.type(for: $0.schema, called: ClientNames.typeName(action.name.rawValue))
            }
            let first = body.map { "_ body: \(qualified($0, in: name)), " } ?? ""
            if !methods.isEmpty { methods.append("") }
            methods += SwiftTypes.comment(action.summary)
            methods += [
                "@discardableResult",
                "public func \(SwiftTypes.quoted(names.member(action.name.rawValue)))(\(first)ifMatch cursor: RemoteCursor? = nil, "
                    + "key: String? = nil) async throws -> RemoteState<\(name)> {",
                "    try await act(\"\(action.name)\", \(body == nil ? "" : "body, ")ifMatch: cursor, key: key)", "}",
            ]
        }
        return ["", "extension RemoteActing where Owner == \(name) {"] + methods.indented() + ["}"]
    }

    /// A type of the view model's, as it is called from outside: standard ones are as they are.
    private static func qualified(_ type: String, in owner: String) -> String {
        type.replacing(/[A-Za-z_][A-Za-z0-9_]*/) { word in
            SwiftTypes.taken.contains(String(word.0)) ? String(word.0) : "\(owner).\(word.0)"
        }
    }
}
