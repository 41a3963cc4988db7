import ViewModels

/// What a build's view models show before an action has changed them: the same in each session of a language.
///
/// Made once, of instances outside of any session. So an entity tag of what nobody has touched stands for one content in all
/// of a process, as long as the store has the digest of it; an instance that shows something else is told of by a commit.
final class Untouched: Sendable {
    let catalogue: Catalogue
    /// A digest of what each shows.
    let initialDigests: InitialDigests
    /// The places of those that have to be there for their changes to be seen: they change by themselves, or show a variable
    /// that is not theirs alone.
    let alive: [Int]
    /// Of these, the places of those that cannot be shown.
    let unshowable: [Int]
    /// Of these, the places of those that show a variable that other instances show, too.
    let sharing: Set<Int>
    private let views: [Result<View, any Error>]

    init(_ catalogue: Catalogue, in language: Language) {
        self.catalogue = catalogue
        // Outside of any session, their own changes are refused, as after the end of one.
        let nowhere = ViewModelContext(language: language) { _, _ in throw CancellationError() }
        let instances = catalogue.viewModels.map { declaration in Result { try declaration.make(in: nowhere) } }
        views = zip(catalogue.viewModels, instances).map { declaration, instance in
            instance.flatMap { viewModel in
                Result {
                    let record = try ViewModelRecord(of: declaration, showing: viewModel, at: 0)
                    return View(declaration, history: SessionHistory(beginningIn: 0), record: record, isUntouched: true)
                }
            }
        }
        let digests = zip(catalogue.viewModels, views).map { declaration, view in
            declaration.initialDigest(of: (try? view.get().json) ?? [])
        }
        initialDigests = InitialDigests(initial: digests, of: catalogue.viewModels)
        var sharing: Set<Int> = []
        alive = zip(catalogue.viewModels, instances).enumerated().compactMap { place, made in
            guard let viewModel = try? made.1.get() else { return nil }
            if Self.isSharing(made.0, viewModel, in: nowhere) { sharing.insert(place) }
            return viewModel.changesItself || sharing.contains(place) ? place : nil
        }
        self.sharing = sharing
        unshowable = alive.filter { [views] place in (try? views[place].get()) == nil }
    }

    /// Whether another instance shows a variable of this one.
    private static func isSharing(
        _ declaration: Declaration, _ viewModel: any HostedViewModel, in context: ViewModelContext
    ) -> Bool {
        guard let other = try? declaration.make(in: context) else { return false }
        let variables = Set(viewModel.variables.compactMap { $0?.id })
        return other.variables.contains { $0.map { variables.contains($0.id) } ?? false }
    }

    /// What a view model shows, with the cursor that a history gives it.
    ///
    /// - Throws: ``OutputUnshowable``; whatever its initializer threw.
    func view(at place: Int, in history: SessionHistory) throws -> View { try views[place].get().named(by: history) }

    /// What would be stored of a view model; nil where it cannot be shown.
    func record(at place: Int) -> ViewModelRecord? { try? views[place].get().record }
}
