/// The parts that no action has touched: one shared copy for each language.
package final class InitialParts: Sendable {
    let host: any PartHost
    package let language: String
    /// The view models, in declared order.
    package let declarations: [PartDeclaration]
    let parts: [PartState]
    /// The digest of all initial outputs.
    let digest: UInt64
    /// Start values of the parts' digests, made of the names of view model and outputs.
    private let seeds: [UInt64]

    /// Derives the initial outputs of all view models.
    package init(host: any PartHost, language: String) {
        (self.host, self.language) = (host, language)
        declarations = host.declarations
        seeds = declarations.map { declaration in
            var hash = StableHash()
            for name in [declaration.name] + declaration.outputs { hash.add(Array(name.utf8)) }
            return hash.value
        }
        parts = zip(declarations, seeds).enumerated().map { index, pair in
            let part = host.initial(pair.0.name, language: language)
            return PartState(index: index, part: part, stamp: .none, digest: Self.digest(of: part, seed: pair.1))
        }
        digest = parts.reduce(0) { $0 &+ $1.digest }
    }

    /// The place of a view model in ``declarations``; nil if this build has none of that name.
    package func index(of name: String) -> Int? { declarations.firstIndex { $0.name == name } }

    /// A hash of a part's outputs, and of their names and its own; an entity's digest is the sum over its parts.
    func digest(of part: Part, at index: Int) -> UInt64 { Self.digest(of: part, seed: seeds[index]) }

    private static func digest(of part: Part, seed: UInt64) -> UInt64 {
        var hash = StableHash(seed: seed)
        for output in part.outputs { hash.add(output) }
        return StableHash.scramble(hash.value)
    }
}
