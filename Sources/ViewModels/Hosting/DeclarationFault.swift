/// The errors in the declarations of view models, for which a server does not start.
///
/// Such errors are malformed and duplicate names, a facet of unknown outputs or called `changes`, a type without
/// a schema, an example that its action would refuse, initial outputs that do not fit their schemas, a kind of refusal
/// that HTTP does not allow, and a model that cannot be stored and read back.
public struct DeclarationFault: Error, Hashable, Sendable, CustomStringConvertible {
    /// One sentence for each error.
    public let complaints: [String]

    /// The sentences, one a line.
    public var description: String { complaints.joined(separator: "\n") }

    init(_ complaints: String...) { self.init(complaints) }
    init(_ complaints: [String]) { self.complaints = complaints }

    /// An error of coding in words for a programmer.
    static func words(_ error: any Error) -> String {
        if case EncodingError.invalidValue(_, let context)? = error as? EncodingError {
            return context.debugDescription
        }
        let path = InputFault.path(of: error)
        return path.isEmpty ? "\(error)" : "its member \(path.joined(separator: "/")) does not fit"
    }
}

extension Interface {
    /// The description of the view model; nil where a complaint is added.
    func description(version: Int, _ complaints: inout [String]) -> ViewModelDescription? {
        let count = complaints.count
        complaints += nameComplaints + refusalComplaints
        if version < 1 { complaints.append("has version \(version); the first version is 1") }
        func found<Value>(_ subject: String, _ find: () throws -> Value) -> Value? {
            do { return try find() } catch {
                complaints.append("\(subject): \(DeclarationFault.words(error))")
                return nil
            }
        }
        let outputs = outputs.map { output in
            ViewModelDescription.Output(
                name: output.name, summary: output.summary,
                schema: found("the output \(output.name)", output.schema) ?? .anything)
        }
        let actions = actions.map { action in
            ViewModelDescription.Action(
                name: action.name, summary: action.summary,
                input: action.input.map { found("the body of \(action.name)", $0.schema) ?? .anything },
                example: action.input.flatMap { found("the example of \(action.name)", $0.example) } ?? [],
                refusals: action.refusals, isAsync: action.isAsync, isBlocking: action.isBlocking)
        }
        guard complaints.count == count else { return nil }
        complaints += actions.compactMap { action in
            action.input?.complaint(about: "the example of \(action.name)", action.example)
        }
        let facets = facets.map { facet in
            ViewModelDescription.Facet(
                name: facet.name, summary: facet.summary,
                outputs: facet.outputs.compactMap { name in outputs.firstIndex { $0.name == name } })
        }
        return ViewModelDescription(
            name: name, summary: summary, version: version, outputs: outputs, actions: actions, facets: facets)
    }

    private var nameComplaints: [String] {
        let paths = actions.map(\.name) + facets.map(\.name)
        var complaints = ([name] + outputs.map(\.name) + paths).filter { !isName($0) }.map {
            "has the name \"\($0)\"; a name is 1 to 64 of a-z, A-Z, 0-9 and -, a letter first"
        }
        complaints += duplicates(in: outputs.map(\.name)).map { "has two outputs called \($0)" }
        complaints += duplicates(in: paths).map { "has two actions or facets called \($0), which share a path" }
        if outputs.isEmpty { complaints.append("has no output") }
        for facet in facets {
            let subject = "has a facet \(facet.name)"
            if facet.name.lowercased() == "changes" { complaints.append("\(subject), which is a path of the server") }
            if facet.outputs.isEmpty { complaints.append("\(subject) without outputs") }
            complaints += duplicates(in: facet.outputs).map { "\(subject) that shows \($0) twice" }
            complaints += facet.outputs.filter { name in !outputs.contains { $0.name == name } }
                .map { "\(subject) of an unknown output \($0)" }
        }
        return complaints
    }

    private var refusalComplaints: [String] {
        let statuses = Refusal.Kind.statuses.sorted().map(String.init).joined(separator: ", ")
        return actions.flatMap { action in
            let kinds = action.refusals.map(\.kind)
            let bad = kinds.filter {
                !isName($0.type) || $0.title.isEmpty || !Refusal.Kind.statuses.contains($0.status)
            }
            return duplicates(in: kinds.map(\.type)).map { "declares the refusal \($0) of \(action.name) twice" }
                + bad.map {
                    "declares the refusal \"\($0.type)\" of \(action.name), which needs a name as its type, a title, "
                        + "and a status of \(statuses)"
                }
        }
    }
}

extension JSONSchema {
    /// The complaint about a text that does not fit; nil where it fits.
    func complaint(about subject: String, _ text: [UInt8]) -> String? {
        guard let value = try? JSONParser.parse(text), let mismatch = mismatch(in: value) else { return nil }
        return "\(subject) does not fit its schema at \(JSONPath.pointer(to: mismatch.path)): it \(mismatch.complaint)"
    }
}

/// 1 to 64 of `a-z`, `A-Z`, `0-9` and `-`, a letter first: it needs no escape in a path, a query or JSON.
func isName(_ text: String) -> Bool {
    text.wholeMatch(of: /[a-zA-Z][a-zA-Z0-9\-]{0,63}/) != nil
}

/// The texts that are there twice, or differ in case alone.
func duplicates(in texts: [String]) -> [String] {
    var known: Set<String> = []
    return texts.filter { !known.insert($0.lowercased()).inserted }
}
