import ViewModels

extension Declaration {
    /// Holds the view model to the contract that its host relies on, and says in plain sentences where it breaks it.
    ///
    /// ```swift
    /// @Test("the ticket machine keeps the contract of view models")
    /// func contract() async {
    ///     let violations = await Declaration.hosting(TicketMachine.self).violations()
    ///     #expect(violations == [])
    /// }
    /// ```
    /// In each language it runs every action with its example, and then actions at random, with the example or with
    /// a body made up from the schema; large numbers and unusual texts are among them. After each step it stores the
    /// view model and reads it back. A view model that traps stops the test, as it would stop the server. Equal
    /// arguments take equal steps, so lend the view model services that always answer alike.
    ///
    /// - Parameters:
    ///   - older: models as earlier builds stored them, by version: `[1: #"{"taken":3}"#]`. This build must read them,
    ///     and every member of them.
    ///   - languages: the languages of its outputs.
    ///   - steps: the number of actions in each language.
    /// - Returns: nothing if it keeps the contract.
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
    /// Holds all view models of a server to the contract, with the reactions of each to the actions of the others.
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
        } catch { violations.add(nil, "No server starts: \(error).") }
        return violations
    }
}
