import ViewModels

/// What a build's view models are before anybody has touched them, as one of each shows that lives in no session.
struct Untouched: Sendable {
    /// A mark for what each shows.
    let beginnings: Beginnings
    /// The places of those that change by themselves: they have to be there for their changes to happen.
    let restless: [Int]

    init(_ declarations: [Declaration], in language: Language) {
        let made = declarations.map { Self.make($0, in: language) }
        beginnings = Beginnings(marks: made.map(\.mark))
        restless = made.indices.filter { made[$0].isRestless }
    }

    private static func make(_ declaration: Declaration, in language: Language) -> (mark: UInt32, isRestless: Bool) {
        // It lives in no session: its own changes are those of one that is no more.
        let nowhere = ViewModelContext(language: language) { _, _ in throw CancellationError() }
        let viewModel = try? declaration.make(in: nowhere)
        let json = JSON.object(declaration.outputNames) { place in
            // What cannot be encoded fails whoever asks for it.
            (try? viewModel?.encodedOutput(at: place)) ?? []
        }
        let digest = SHA256.hexDigest(of: Array(declaration.name.rawValue.utf8) + json)
        return (UInt32(digest.prefix(8), radix: 16) ?? 0, viewModel?.changesItself ?? false)
    }
}
