import ViewModels

/// The OpenAPI 3.1 description of the service, made from the interfaces that make its routes.
package struct OpenAPIDocument: Sendable {
    private let yaml: YAML
    private let program: ServedProgram

    /// Describes a service that hosts a catalogue; makes each of its view models once, for its examples.
    package init(catalogue: Catalogue, of program: ServedProgram = .bindery) {
        yaml = Self.document(of: catalogue, program)
        self.program = program
    }

    /// The description as YAML text in UTF-8, written anew with each call.
    package var bytes: [UInt8] { Array("# Made by \(origin). Do not edit.\n\(yaml.document)".utf8) }

    /// Of other programs nobody knows here whether they have the command, and a test.
    private var origin: String {
        guard program.name != "bindery" else { return "`bindery openapi`; a test holds it to the routes" }
        let name = program.name.split(whereSeparator: \.isNewline).joined(separator: " ")
        return "\(name) from its view models"
    }

    private static func document(of catalogue: Catalogue, _ program: ServedProgram) -> YAML {
        let names = names(in: catalogue)
        return [
            "openapi": "3.1.0",
            "info": [
                "title": .text(program.name),
                "version": .text(program.version),
                "summary": "View models on the server, read and acted on over HTTP.",
                "description": .text(
                    "A view model takes actions, derives presentation state and says what changed. Every view of it "
                        + "shows the same state and is told of each change by long-poll or event stream. Any request may also be "
                        + "refused as its path, method, size or form demand: with 404, 405, 413, 414, 417, 429, 431, 501 or 505, as "
                        + "among the responses here, and always as application/problem+json."),
            ],
            "servers": [["url": "/"]],
            "security": [["bearer": []], ["cookie": []], .map([])],
            "tags": .list(tags(of: catalogue, called: names)),
            "paths": .map(
                withUniqueIDs(
                    aroundPaths(of: catalogue, program) + sessionPaths(of: catalogue) + [changesPath]
                        + catalogue.viewModels.flatMap {
                            viewModelPaths(of: $0, called: names, in: catalogue.languages.standard)
                        })),
            "components": components(of: catalogue, called: names),
        ]
    }

    /// Numbers those operations that are called as one before them: `add` of `board-list` and `add-board` of `list` are.
    private static func withUniqueIDs(_ paths: [YAML.Member]) -> [YAML.Member] {
        var ids = UniqueNames()
        func unique(_ member: YAML.Member) -> YAML.Member {
            switch member.value {
            case .text(let id) where member.key == "operationId":
                return YAML.Member(key: member.key, value: .text(ids.name(id)))
            default: return member
            }
        }
        return paths.map { path in
            guard case .map(let operations) = path.value else { return path }
            let own = operations.map { operation in
                guard case .map(let members) = operation.value else { return operation }
                return YAML.Member(key: operation.key, value: .map(members.map(unique)))
            }
            return YAML.Member(key: path.key, value: .map(own))
        }
    }

    /// The tags that are there whatever is hosted.
    static let ownTags = [
        (name: "service", description: "What is here, and whether it is well."),
        (name: "sessions", description: "Whose view models they are."),
        (name: "changes", description: "What changed, told as it happens."),
    ]

    private static func tags(of catalogue: Catalogue, called names: ComponentNames) -> [YAML] {
        (ownTags + catalogue.viewModels.map { (name: names.tag(of: $0.name), description: $0.summary) }).map {
            ["name": .text($0.name), "description": .text($0.description)]
        }
    }
}
