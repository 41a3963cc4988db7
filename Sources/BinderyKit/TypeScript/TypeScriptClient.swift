import Service
import ViewModels
import WebFiles

/// Typings of a program's view models for a page that uses `/bindery.js`: each output with its type, each action as a function
/// that promises the new state.
struct TypeScriptClient {
    let catalogue: Catalogue
    let name: String

    /// The file, a module of declarations.
    var text: String {
        let entries = catalogue.viewModels.flatMap { viewModel in
            let type = Self.typeName(viewModel.name)
            let key = viewModel.keys == nil ? Self.key(viewModel.name) : "[entity: `\(viewModel.name)/${string}`]"
            return Self.comment(viewModel.summary)
                + ["\(key): ViewModel<\(type)Outputs, \(type)Actions>"]
        }
        return """
            // The view models of \(name), for /bindery.js.
            // Written by `\(name) client typescript`; do not edit it, write it again.

            /** The view models, by name; those of named entities by path. */
            export interface ViewModels {
            \(Self.indented(entries))
            }

            \(catalogue.viewModels.map(Self.declarations).joined(separator: "\n\n"))

            \(Self.session)
            """
    }

    private static func declarations(of viewModel: ViewModelDescription) -> String {
        let name = typeName(viewModel.name)
        let outputs = viewModel.outputs.flatMap {
            comment($0.summary) + [
                "readonly \(key($0.name))\(viewModel.isSeenByFacet ? "?" : ""): \($0.schema.typeScript)"
            ]
        }
        let actions = viewModel.actions.flatMap { action in
            let input = action.input.map { "input: \($0.typeScript)" } ?? ""
            return comment(action.summary) + ["\(key(action.name))(\(input)): Promise<\(name)Outputs>"]
        }
        return """
            /** The outputs of \(viewModel.name). */
            export interface \(name)Outputs {
            \(indented(outputs))
            }

            /** The actions of \(viewModel.name). */
            export interface \(name)Actions {
            \(indented(actions))
            }
            """
    }

    /// The part that is the same for all programs: the typings of `/bindery.js`, with view models by name.
    private static let session = String(decoding: WebFile.typings.bytes, as: UTF8.self)
        .replacing("\t", with: "    ")
        .replacing(/^\/\/[^\n]*\n\n/, with: "")
        .replacing(/\/\*\* A view model has its outputs as properties[\s\S]*?\n}\n/, with: viewModel)
        .replacing(
            "viewModel(name: string): ViewModel\n",
            with: "viewModel<Name extends keyof ViewModels>(name: Name): ViewModels[Name]\n")

    private static let viewModel = """
        /** Names that every view model has: an output or action of such a name is reached by `output` and `action`. */
        type Own = "observe" | "output" | "action" | "then"

        /** A view model of the session: outputs as properties, actions as functions. */
        export type ViewModel<Outputs, Actions> = Omit<Outputs, Own> & Omit<Actions, Own | keyof Outputs> & {
            /** Calls with the outputs, now and after each change, until the function that it returns is called. */
            observe(body: (outputs: Outputs) => void): () => void
            output<Name extends keyof Outputs>(name: Name): Outputs[Name]
            action<Name extends keyof Actions>(
                name: Name, ...input: Actions[Name] extends (...input: infer Input) => unknown ? Input : never
            ): Promise<Outputs>
        }

        """

    /// The name of a type: `CounterStream` for `counter-stream`.
    private static func typeName(_ name: String) -> String {
        name.split(separator: "-").map { $0.prefix(1).uppercased() + $0.dropFirst() }.joined()
    }

    private static func comment(_ text: String) -> [String] {
        text.isEmpty ? [] : ["/** \(text.replacing("*/", with: "* /").replacing("\n", with: " ")) */"]
    }

    private static func indented(_ lines: [String]) -> String { lines.map { "    \($0)" }.joined(separator: "\n") }

    /// A member's name, in quotes where it is no identifier.
    fileprivate static func key(_ name: String) -> String {
        name.wholeMatch(of: /[A-Za-z_$][A-Za-z0-9_$]*/) == nil ? name.quoted : name
    }
}

extension JSONSchema {
    fileprivate var typeScript: String {
        switch self {
        case .string, .uuid, .url, .base64: "string"
        case .oneOf(let texts): texts.map(\.quoted).joined(separator: " | ")
        case .oneOfIntegers(let numbers): numbers.map(String.init).joined(separator: " | ")
        case .integer, .number, .date: "number"
        case .boolean: "boolean"
        case .array(let element): "(\(element.typeScript))[]"
        case .dictionary(let value): "Record<string, \(value.typeScript)>"
        case .object(let members) where members.isEmpty: "Record<string, never>"
        case .object(let members):
            "{ "
                + members.map { member in
                    "\(TypeScriptClient.key(member.name))\(member.isRequired ? "" : "?"): \(member.schema.typeScript)"
                }.joined(separator: "; ") + " }"
        case .anyOf(let schemas): schemas.map(\.typeScript).joined(separator: " | ")
        case .nullable(let schema): "\(schema.typeScript) | null"
        case .anything: "unknown"
        }
    }
}
