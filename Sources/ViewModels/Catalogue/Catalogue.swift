/// The view models a server hosts, in the order in which they are listed.
public struct Catalogue: Sendable {
    /// The hosted view models.
    public let viewModels: [Declaration]
    /// For each view model, the place of its first output when the outputs of all are counted through.
    public let firstOutputs: [Int]
    /// How many outputs there are in all.
    public let outputCount: Int
    private let places: [String: Int]

    /// Lists view models.
    ///
    /// Two of one name stop the program: it is a mistake in the list.
    public init(_ viewModels: [Declaration]) {
        self.viewModels = viewModels
        var count = 0
        firstOutputs = viewModels.map { viewModel in
            defer { count += viewModel.outputs.count }
            return count
        }
        outputCount = count
        places = Dictionary(zip(viewModels.map(\.name.rawValue), viewModels.indices)) { first, second in
            preconditionFailure("\(viewModels[first].name) and \(viewModels[second].name): one name for two.")
        }
    }

    /// The place of a view model in the list, by its name.
    public func place(of name: some StringProtocol) -> Int? { places[String(name)] }

    /// The view models that come with Bindery.
    public static let standard = Catalogue([
        .hosting(CounterViewModel.init(model:)),
        .hosting(CounterStreamViewModel.init(model:)),
        .hosting { LoginViewModel(model: $0, language: $1.language) },
        .hosting(GreetingViewModel.init(model:)),
        .hosting(ProfileViewModel.init(model:)),
        .hosting(OrientationViewModel.init(model:)),
        .hosting(ObservedOrientationViewModel.init(model:)),
    ])
}
