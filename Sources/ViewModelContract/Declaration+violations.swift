import ViewModels

extension Declaration {
    /// Checks the contract that the host relies on, and describes each violation in plain sentences.
    ///
    /// ```swift
    /// @Test("the ticket machine keeps the contract of view models")
    /// func contract() async {
    ///     let violations = await Declaration.hosting(TicketMachine.self).violations()
    ///     #expect(violations == [])
    /// }
    /// ```
    /// In each language it runs every action with its example. Then it runs random actions, with the example or with a body
    /// from the schema, such as large numbers and unusual texts. After each step it stores the view model and reads it
    /// back. If the view model traps, the test stops, as the server would. Equal arguments give equal steps, so give the
    /// view model services with constant answers.
    ///
    /// - Parameters:
    ///   - older: models as earlier builds stored them, by version: `[1: #"{"taken":3}"#]`. This build must read all their
    ///     members.
    ///   - languages: the languages of its outputs.
    ///   - steps: the number of actions in each language.
    /// - Returns: nothing if the view model keeps the contract.
    public func violations(
        older: KeyValuePairs<Int, String> = [:], in languages: [Language] = ["en"], steps: Int = 100
    ) async -> [Violation] {
        var violations = await [self].violations(in: languages, steps: steps)
        guard let catalogue = try? Catalogue([self]) else { return violations }
        for (version, model) in older {
            do {
                let part = try catalogue.read(
                    name, stored: Array(model.utf8), version: version, language: languages.first ?? "en")
                if part.unknown.isEmpty { continue }
                violations.add(
                    name,
                    "The model of version \(version) has \(part.unknown.names.joined(separator: ", ")), which this build "
                        + "does not read. If a member has a new name, increase the version and rename it in "
                        + "migrate(_:from:). If a member is gone, leave it out of the model in the test.")
            } catch { violations.add(name, "The model of version \(version) cannot be read: \(error).") }
        }
        return violations
    }
}

extension Sequence<Declaration> {
    /// Checks the contract of all view models of a server, with the reactions of each to the actions of the others.
    ///
    /// See ``Declaration/violations(older:in:steps:)``.
    public func violations(in languages: [Language] = ["en"], steps: Int = 100) async -> [Violation] {
        var violations: [Violation] = []
        do {
            let catalogue = try Catalogue(Array(self))
            for language in languages {
                var walk = Walk(catalogue, in: language)
                await walk.take(steps)
                for found in walk.violations { violations.add(found.viewModel, found.complaint, after: found.steps) }
            }
        } catch { violations.add(nil, "The server does not start: \(error).") }
        return violations
    }
}
