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
    /// would stop the server. One that does not return is given up after a while, on a thread that is left to it: that is a
    /// violation, and the rest of it is not walked. Equal arguments walk the same way.
    ///
    /// What a view model is given of the world must stand still and be a stand-in: a clock, a service.
    ///
    /// - Parameters:
    ///   - olderModels: models as earlier builds stored them, which this one has to read without loss.
    ///   - samples: bodies to send beside those.
    ///   - languages: those that it speaks.
    ///   - steps: how many actions to ask for in each language.
    ///   - stepTime: how long each thing that is asked of the view model may take, as an action or its making.
    ///   - seed: another one walks another way.
    ///   - isRepeatable: whether equal models do equal things when asked for equal actions; false for one that rolls
    ///     dice.
    /// - Returns: no violation where it keeps to the contract.
    public func violations(
        olderModels: [OlderModel] = [], samples: [SampleInput] = [], languages: Languages = Languages(.english),
        steps: Int = 100, stepTime: Duration = .seconds(60), seed: UInt64 = 1, isRepeatable: Bool = true
    ) async -> [Violation] {
        let older = await Trial.run(of: name, limit: stepTime) { check(olderModels, in: $0) }
        return older.violations
            + (await [self].violations(
                samples: samples, languages: languages, steps: steps, stepTime: stepTime, seed: seed,
                isRepeatable: isRepeatable))
    }
}

extension Sequence<Declaration> {
    /// Holds each of the view models to the contract, and all of them to what a server demands of its list, such as names of their
    /// own.
    ///
    /// See ``Declaration/violations(olderModels:samples:languages:steps:stepTime:seed:isRepeatable:)``. A sample is sent to every view model
    /// that has its action.
    ///
    /// - Returns: no violation where they keep to the contract.
    public func violations(
        samples: [SampleInput] = [], languages: Languages = Languages(.english), steps: Int = 100,
        stepTime: Duration = .seconds(60), seed: UInt64 = 1, isRepeatable: Bool = true
    ) async -> [Violation] {
        var findings = Findings()
        let catalogue = Catalogue(Array(self), languages: languages)
        for fault in catalogue.faults {
            let served = fault.viewModel == nil ? "No server starts" : "No server serves it"
            findings.note(.declaration, fault.viewModel, "\(served): \(fault.complaint).")
        }
        for declaration in catalogue.viewModels {
            for language in languages.all {
                let trial = await Trial.run(of: declaration.name, limit: stepTime) { trial in
                    var walk = Walk(
                        declaration, in: language, samples: samples, seed: seed, isRepeatable: isRepeatable, as: trial)
                    await walk.run(steps: steps)
                }
                findings.add(trial.violations)
                // It would hold a thread in the other languages, too.
                guard trial.isComplete else { break }
            }
        }
        return findings.violations
    }
}
