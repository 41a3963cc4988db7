extension Declaration {
    /// Lists a view model that is made from its model alone, named by its initializer.
    ///
    /// ```swift
    /// try await BinderyServer(viewModels: [.hosting(TicketMachine.init(model:))]).run()
    /// ```
    ///
    /// - Parameter make: builds an instance from a model. Called for each session, and again whenever the session's view
    ///   models are rebuilt; once in each language for no session, to see what it shows untouched. Equal models must give
    ///   equal outputs.
    public static func hosting<Owner: ViewModel>(_ make: @escaping @Sendable (Owner.Model) -> Owner) -> Declaration {
        Declaration(Owner.self) { model, _ in make(model) }
    }

    /// Lists a view model that wants to know of the session it lives in: its language, its notification center, or a
    /// way to change itself.
    ///
    /// ```swift
    /// .hosting { Stopwatch(model: $0, context: $1, clock: clock) }
    /// ```
    ///
    /// - Parameter make: builds an instance from a model, for a session. Called again whenever the session's view
    ///   models are rebuilt; once in each language for no session, to see what it shows untouched. Equal models must give
    ///   equal outputs.
    public static func hosting<Owner: ViewModel>(
        _ make: @escaping @Sendable (Owner.Model, ViewModelContext) -> Owner
    ) -> Declaration {
        Declaration(Owner.self, make: make)
    }
}
