/// The view models a server hosts, in the order in which they are listed, and the languages they speak.
public struct Catalogue: Sendable {
    /// One reference: every feed holds its catalogue, and is copied with every action.
    private final class Entries: Sendable {
        let viewModels: [Declaration]
        let languages: Languages
        let firstOutputs: [Int]
        let places: [String: Int]

        init(_ viewModels: [Declaration], _ languages: Languages) {
            (self.viewModels, self.languages) = (viewModels, languages)
            var count = 0
            firstOutputs = viewModels.map { viewModel in
                defer { count += viewModel.outputs.count }
                return count
            }
            places = Dictionary(zip(viewModels.map(\.name.rawValue), viewModels.indices)) { first, _ in first }
        }
    }

    private let entries: Entries

    /// Lists view models.
    ///
    /// What keeps a server from starting that hosts them is listed at ``DeclarationFault``.
    ///
    /// - Parameter languages: those they speak; English alone where nothing is said.
    public init(_ viewModels: [Declaration], languages: Languages = Languages(.english)) {
        entries = Entries(viewModels, languages)
    }

    /// The hosted view models.
    public var viewModels: [Declaration] { entries.viewModels }
    /// The languages they speak.
    public var languages: Languages { entries.languages }
    /// For each view model, the place of its first output when the outputs of all are counted through.
    public var firstOutputs: [Int] { entries.firstOutputs }

    /// What is wrong with one of the view models, or with the list, so that it cannot be served; nil for nothing.
    package var fault: DeclarationFault? { faults.first }

    /// All that is wrong, each said once: of the view models first, then of the list.
    package var faults: [DeclarationFault] {
        guard !viewModels.isEmpty else {
            return [DeclarationFault(nil, "no view model is listed: there would be nothing to serve")]
        }
        let names = Declaration.takenNames.sorted().joined(separator: ", ")
        let taken = viewModels.filter { Declaration.takenNames.contains($0.name.rawValue.lowercased()) }.map {
            DeclarationFault($0.name, "a view model cannot have this name: \(names) are paths of the server itself")
        }
        let twins = viewModels.indices.filter {
            !viewModels[$0].name.isMalformed && place(of: viewModels[$0].name.rawValue) != $0
        }.map {
            DeclarationFault(viewModels[$0].name, "two view models of the list have this name; give one another")
        }
        let alike = viewModels.indices.compactMap { index -> DeclarationFault? in
            let name = viewModels[index].name
            let other = viewModels[..<index].map(\.name).first {
                $0 != name && $0.rawValue.lowercased() == name.rawValue.lowercased()
            }
            return other.map { DeclarationFault(name, "its name differs from \($0) in case alone; give it another") }
        }
        return viewModels.flatMap(\.faults) + taken + refusalsOfOneType + twins + alike
    }

    /// Refusals whose type has another status or title in another view model: a type says what kind of problem it is (RFC 9457).
    private var refusalsOfOneType: [DeclarationFault] {
        var known: [String: (kind: ActionRefusal.Kind, by: Name)] = [:]
        var faults: [DeclarationFault] = []
        for viewModel in viewModels {
            for action in viewModel.actions {
                for kind in action.refusals.map(\.kind) {
                    let type = kind.type.lowercased()
                    let first = known[type] ?? (kind, viewModel.name)
                    known[type] = first
                    // Within a view model, its own faults say so.
                    guard first.kind != kind, first.by != viewModel.name else { continue }
                    faults.append(
                        DeclarationFault(
                            viewModel.name,
                            "declares the refusal \"\(kind.type)\" of \(action.name) "
                                + (first.kind.type == kind.type
                                    ? "with another status or title than" : "in another case than")
                                + " \(first.by); make it one kind"))
                }
            }
        }
        return faults
    }

    /// The place of a view model in the list, by its name.
    public func place(of name: some StringProtocol) -> Int? { entries.places[String(name)] }
}
