import ViewModels

extension Catalogue {
    /// The view models of the articles, which `bindery` hosts.
    public static let samples = Catalogue(
        [
            .hosting(CounterViewModel.init(model:)),
            .hosting(CounterStreamViewModel.init(model:)),
            .hosting { LoginViewModel(model: $0, language: $1.language) },
            .hosting(GreetingViewModel.init(model:)),
            .hosting(ProfileViewModel.init(model:)),
            .hosting(OrientationViewModel.init(model:)),
            .hosting(ObservedOrientationViewModel.init(model:)),
        ], languages: Languages(.japanese, .english))
}
