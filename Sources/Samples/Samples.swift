import ViewModels

extension Declaration {
    /// The view models of the articles, which `bindery` hosts, in Japanese (the default) and English.
    public static let samples: [Declaration] = [
        .hosting(Counter.self),
        .hosting(CounterObject.self),
        .hosting(CounterStream.self),
        .hosting(Login.self, with: LoginValidator()),
        .hosting(Greeting.self),
        .hosting(Profile.self),
        .hosting(OrientationViewModel.self),
        .hosting(ObservedOrientation.self),
    ]
}
