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
        let (language, viewModels) = (languages.standard, catalogue.viewModels)
        let template = Self.template
        var views = ViewModelValues(catalogue, language, beside: template)
        let topics = viewModels.flatMap { viewModel in
            [viewModel.name] + viewModel.facets.map { "\(viewModel.name)/\($0.name)" }
        }
        let states = viewModels.map { "\"\($0.name)\": \(views.state(of: $0.name))" }.joined(separator: ", ")
        let kind = ProblemType.notFound
        let values: Template.Values = [
            "program": .quoted(program.name), "version": .quoted(program.version),
            "languages": .text(YAMLText.list(languages.all.map(\.rawValue))), "language": .quoted(language.rawValue),
            "otherLanguage": .quoted((languages.all.last ?? language).rawValue),
            "topics": .text(YAMLText.list(topics)), "topic": .quoted(topics.first ?? ""),
            "states": .text("{\(states)}"), "viewModelNames": .text(YAMLText.list(viewModels.map(\.name))),
            "viewModel": .list(viewModels.map { views.values(of: $0) }),
            "problem": .list(ProblemType.responses),
            "kindTitle": .quoted(kind.title), "kindDetail": .quoted(kind.explanation),
        ]
        let origin = "# Made from the view models of \(YAMLText.quoted(program.name)). Do not edit.\n"
        text = Array((origin + template.filled(with: values)).utf8)
    }

    /// The template, with its lists of problems written out.
    private static var template: Template {
        let text = String(decoding: PackageResources.fixed_yaml, as: UTF8.self)
        let ofAllRequests: [Substring] = ["400", "414", "421", "431", "503"]
        return Template(
            text.replacing(/( +)# problems(.*)/) { line in
                (ofAllRequests + line.2.split(separator: " ")).sorted()
                    .map { "\(line.1)\"\($0)\": { $ref: \"#/components/responses/Problem\($0)\" }" }
                    .joined(separator: "\n")
            })
    }
}

extension ProblemType {
    /// A response for each status that the server reports a problem with.
    fileprivate static var responses: [Template.Values] {
        Dictionary(grouping: all, by: \.status).sorted { $0.key < $1.key }.map { status, types in
            [
                "status": .text("\(status)"), "description": .quoted(words(types)),
                "example": .text(types.first.map { example($0.slug, status, $0.title, $0.explanation) } ?? "{}"),
            ]
        }
    }

    /// The statuses of problems that an action may report, besides those that it declares.
    static let statusesOfActions = [400, 401, 403, 412, 413, 414, 415, 421, 422, 429, 431, 500, 503, 504]

    /// The response to refusals that an action declares with a status.
    static func response(to refusals: [DeclaredRefusal], status: Int) -> Template.Values {
        let own = refusals.map { "`/problems/\($0.kind.type)`: \($0.summary)" }
        let others = statusesOfActions.contains(status) ? [words(all.filter { $0.status == status })] : []
        let example = refusals.first.map { Self.example($0.kind.type, status, $0.kind.title, $0.summary) }
        return [
            "status": .text("\(status)"), "description": .quoted((own + others).joined(separator: " ")),
            "example": .text(example ?? "{}"),
        ]
    }

    private static func words(_ types: [ProblemType]) -> String {
        let names = types.map { "`/problems/\($0.slug)`" }.joined(separator: ", ")
        return types.map(\.title).joined(separator: "; ") + ". Types: \(names)."
    }

    private static func example(_ slug: String, _ status: Int, _ title: String, _ detail: String) -> String {
        let problem = Problem(slug, status: status, title: title, detail: detail)
        guard case .bytes(let json) = problem.response(instance: "8dwc1rme-5").body else { return "{}" }
        return YAMLText.printable(json)
    }
}
