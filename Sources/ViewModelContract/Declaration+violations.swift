import ViewModels

extension Declaration {
    /// Holds the view model to the contract that its host relies on, and says in plain sentences where it breaks it.
    ///
    /// ```swift
    /// @Test("the ticket machine keeps the contract of view models")
    /// func contract() async {
    ///     let violations = await Declaration.hosting(TicketMachine.init(model:)).violations()
    ///     #expect(violations == [])
    /// }
    /// ```
    /// For each language an instance is walked through every action, first with its example, then by chance: with your
    /// samples, the example, and bodies made up from the declared shape, the largest numbers and odd texts among them.
    /// After each step it is compared with one made anew from its model. A view model that traps stops the test, as it
    /// would stop the server. Nothing is left out by chance twice: equal arguments walk the same way.
    ///
    /// What a view model is given of the world must stand still and be a stand-in: a clock, a service.
    ///
    /// - Parameters:
    ///   - olderModels: models as earlier builds stored them, which this one has to read without loss.
    ///   - samples: bodies to send beside those.
    ///   - steps: how many actions to ask for in each language.
    ///   - seed: another one walks another way.
    ///   - isRepeatable: whether equal models do equal things when asked for equal actions; false for one that rolls
    ///     dice.
    /// - Returns: no violation where it keeps to the contract.
    public func violations(
        olderModels: [OlderModel] = [], samples: [SampleInput] = [], steps: Int = 100, seed: UInt64 = 1,
        isRepeatable: Bool = true
    ) async -> [Violation] {
        var findings = Findings()
        check(olderModels, &findings)
        return findings.violations
            + (await [self].violations(samples: samples, steps: steps, seed: seed, isRepeatable: isRepeatable))
    }
}

extension Sequence<Declaration> {
    /// Holds each of the view models to the contract, and all of them to names of their own.
    ///
    /// See ``Declaration/violations(olderModels:samples:steps:seed:isRepeatable:)``. A sample is sent to every view model
    /// that has its action.
    ///
    /// - Returns: no violation where they keep to the contract.
    public func violations(
        samples: [SampleInput] = [], steps: Int = 100, seed: UInt64 = 1, isRepeatable: Bool = true
    ) async -> [Violation] {
        var findings = Findings()
        checkNames(&findings)
        for declaration in self {
            declaration.checkFacets(&findings)
            declaration.checkExamples(&findings)
            for language in Language.allCases {
                var walk = Walk(declaration, in: language, samples: samples, seed: seed, isRepeatable: isRepeatable)
                await walk.run(steps: steps, into: &findings)
            }
        }
        return findings.violations
    }
}
