/// The view models a server hosts, in the order in which they are listed.
public struct Catalogue: Sendable {
    /// One reference: every feed holds its catalogue, and is copied with every action.
    private final class Entries: Sendable {
        let viewModels: [Declaration]
        let firstOutputs: [Int]
        let places: [String: Int]

        init(_ viewModels: [Declaration]) {
            self.viewModels = viewModels
            var count = 0
            firstOutputs = viewModels.map { viewModel in
                defer { count += viewModel.outputs.count }
                return count
            }
            places = Dictionary(zip(viewModels.map(\.name.rawValue), viewModels.indices)) { first, second in
                fatalError("\(viewModels[first].name) and \(viewModels[second].name): one name for two.")
            }
        }
    }

    private let entries: Entries

    /// Lists view models.
    ///
    /// Two of one name stop the program: it is a mistake in the list.
    public init(_ viewModels: [Declaration]) { entries = Entries(viewModels) }

    /// The hosted view models.
    public var viewModels: [Declaration] { entries.viewModels }
    /// For each view model, the place of its first output when the outputs of all are counted through.
    public var firstOutputs: [Int] { entries.firstOutputs }

    /// The place of a view model in the list, by its name.
    public func place(of name: some StringProtocol) -> Int? { entries.places[String(name)] }
}
