import Service
import ViewModels
import WebFiles

/// Typings of a program's view models for a page that uses `/bindery.js`: each output with its type, each action as a function
/// that promises the new state.
struct TypeScriptClient {
    let catalogue: Catalogue
    let program: ServedProgram

    /// The file, a module of declarations.
    var text: String {
        var names = ClientNames(taken: Self.taken)
        var types: [String] = []
        var entries: [String] = []
        var parts: [String] = []
        for viewModel in catalogue.viewModels {
            let name = names.type(viewModel.name.rawValue)
            var shapes = TypeScriptShapes(names: names)
            parts += [""] + Self.comment("What \(viewModel.name) shows.") + ["export interface \(name)Outputs {"]
            parts += viewModel.outputs.flatMap {
                Self.comment($0.summary) + ["readonly \(Self.key($0.name.rawValue)): \(shapes.type($0.schema))"]
            }.indented()
            parts +=
                ["}", ""] + Self.comment("What \(viewModel.name) is asked for.") + ["export interface \(name)Actions {"]
            parts += viewModel.actions.flatMap { action in
                let input = action.input.map { "input: \(shapes.type($0.schema))" } ?? ""
                return Self.comment(action.summary)
                    + ["\(Self.key(action.name.rawValue))(\(input)): Promise<\(name)Outputs>"]
            }.indented()
            parts.append("}")
            entries += Self.comment(viewModel.summary)
            entries.append("\(Self.key(viewModel.name.rawValue)): ViewModel<\(name)Outputs, \(name)Actions>")
            types += shapes.lines
            names = shapes.names
        }
        let head = """
            // The view models of \(program.name), for /bindery.js.
            // Written by `\(program.name) client typescript`: whoever changes it loses that when it is written again.

            /** The view models, by name. */
            export interface ViewModels {
            \(entries.indented().joined(separator: "\n"))
            }

            """
        return head + (parts + types + ["", Self.session]).joined(separator: "\n")
    }

    private static let taken: Set<String> = [
        "ViewModel", "ViewModels", "Session", "Connection", "Problem", "Options", "Record", "Promise", "Omit", "Error",
        "Uint8Array",
    ]

    /// What is the same for all programs: the typings of `/bindery.js`, but that a view model is known by its name.
    private static let session = String(decoding: WebFile.typings.bytes, as: UTF8.self)
        .replacing("\t", with: "    ")
        .replacing(/^\/\/[^\n]*\n\n/, with: "")
        .replacing(/\/\*\* What a view model shows is a property[\s\S]*?\n}\n/, with: viewModel)
        .replacing(
            "viewModel(name: string): ViewModel\n",
            with: "viewModel<Name extends keyof ViewModels>(name: Name): ViewModels[Name]\n")

    private static let viewModel = """
        /** Names that every view model has: what is declared under one is reached by `output` and `action`. */
        type Own = "observe" | "output" | "action" | "then"

        /** A view model of the session: outputs as properties, actions as functions. */
        export type ViewModel<Outputs, Actions> = Omit<Outputs, Own> & Omit<Actions, Own | keyof Outputs> & {
            /** Calls with what is shown, now and after each change, until the function that it returns is called. */
            observe(body: (outputs: Outputs) => void): () => void
            output<Name extends keyof Outputs>(name: Name): Outputs[Name]
            action<Name extends keyof Actions>(
                name: Name, ...input: Actions[Name] extends (...input: infer Input) => unknown ? Input : never
            ): Promise<Outputs>
        }

        """

    fileprivate static func comment(_ text: String) -> [String] {
        text.isEmpty ? [] : ["/** \(text.replacing("*/", with: "* /").replacing("\n", with: " ")) */"]
    }

    /// A member's name, in quotes where it is no identifier: TypeScript reads JSON's.
    fileprivate static func key(_ name: String) -> String {
        name.wholeMatch(of: /[A-Za-z_$][A-Za-z0-9_$]*/) == nil ? JSON.text(name) : name
    }
}

/// The TypeScript types for shapes.
private struct TypeScriptShapes {
    var names: ClientNames
    /// Declarations of types that contain themselves.
    private(set) var lines: [String] = []
    private var named: [(schema: JSONSchema, type: String)] = []

    init(names: ClientNames) { self.names = names }

    mutating func type(_ schema: JSONSchema) -> String {
        switch schema {
        case .string, .formatted: return "string"
        case .oneOf(let texts): return Self.union(texts.map(JSON.text))
        case .oneOfIntegers(let numbers): return Self.union(numbers.map { "\($0)" })
        case .integer, .number, .date: return "number"
        case .boolean: return "boolean"
        case .array(let element): return list(of: type(element))
        case .tuple(let elements): return "[\(elements.map { type($0) }.joined(separator: ", "))]"
        case .pairs(let key, let value): return list(of: Self.union([type(key), type(value)]))
        case .dictionary(let value, _): return "Record<string, \(type(value))>"
        case .object(let members): return object(members)
        case .choice(let members):
            return Self.union(members.map { "{ \(TypeScriptClient.key($0.name)): \(type($0.schema)) }" })
        case .nullable(let inner): return Self.union([type(inner), "null"])
        case .reference, .anything: return "unknown"
        case .named(let own, _):
            // What is shown and taken is of one type, whether what is nil is left out or null.
            if let known = named.first(where: { $0.schema.isSame(as: schema.written) }) { return known.type }
            let name = names.type(own.split { $0 == "." }.last.map(String.init) ?? own)
            named.append((schema.written, name))
            let type = type(schema.unfolded)
            lines += ["", "export type \(name) = \(type)"]
            return name
        }
    }

    private mutating func object(_ members: [JSONSchema.Member]) -> String {
        guard !members.isEmpty else { return "Record<string, never>" }
        let fields = members.map { "\(TypeScriptClient.key($0.name))\($0.isRequired ? "" : "?"): \(type($0.schema))" }
        return "{ \(fields.joined(separator: "; ")) }"
    }

    private func list(of type: String) -> String { type.contains("|") ? "(\(type))[]" : "\(type)[]" }

    private static func union(_ types: [String]) -> String {
        types.reduce(into: [String]()) { if !$0.contains($1) { $0.append($1) } }.joined(separator: " | ")
    }
}
