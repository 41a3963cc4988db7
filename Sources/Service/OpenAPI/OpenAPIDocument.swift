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
        let template = Template(String(decoding: PackageResources.fixed_yaml, as: UTF8.self))
        let (language, other) = (languages.standard, languages.all.last ?? languages.standard)
        var views = ViewModelValues(catalogue, language, beside: template)
        let topics = catalogue.viewModels.flatMap { viewModel in
            [viewModel.name] + viewModel.facets.map { "\(viewModel.name)/\($0.name)" }
        }
        let values: Template.Values = [
            "program": .quoted(program.name), "version": .quoted(program.version),
            "binderyVersion": .quoted(Version.current),
            "languages": .text(YAMLText.list(languages.all.map(\.rawValue))), "language": .quoted(language.rawValue),
            "otherLanguage": .quoted(other.rawValue),
            "session": .text(Self.session(of: catalogue, in: language)),
            "otherSession": .text(Self.session(of: catalogue, in: other)),
            "topics": .text(YAMLText.list(topics)), "topic": .quoted(topics.first ?? ""),
            "viewModelNames": .text(YAMLText.list(catalogue.viewModels.map(\.name))),
            "viewModel": .list(catalogue.viewModels.map { views.values(of: $0) }),
            "problem": .list(ProblemValues.responses),
            "problemKindExample": .text(ProblemValues.kindExample),
        ]
        let origin = "# Made from the view models of \(YAMLText.quoted(program.name)). Do not edit.\n"
        text = Array((origin + template.filled(with: values)).utf8)
    }

    private static func session(of catalogue: Catalogue, in language: Language) -> String {
        let viewModels = catalogue.viewModels.map { viewModel in
            "\"\(viewModel.name)\":\(state(of: viewModel.name, in: catalogue, language))"
        }
        return #"{"id":"Jk2vYt0qTzWb5e8","public":false,"cursor":"0.k3Qm7wXr1Zs","expiresIn":86400,"#
            + #""language":"\#(language)","viewModels":{"# + viewModels.joined(separator: ",") + "}}"
    }

    /// The outputs before the first action, as JSON text.
    static func state(
        of name: String, _ facet: ViewModelDescription.Facet? = nil, in catalogue: Catalogue, _ language: Language
    ) -> String {
        guard let part = try? catalogue.initial(name, language: language) else { return "{}" }
        return YAMLText.printable(catalogue.body(of: part, name, facet: facet))
    }
}

extension Template.Value {
    /// A text in double quotes.
    static func quoted(_ text: String) -> Template.Value { .text(YAMLText.quoted(text)) }
}
