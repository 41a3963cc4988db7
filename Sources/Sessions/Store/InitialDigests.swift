import ViewModels

/// What a build's view models show before an action has changed them, and what they consist of, as digests.
///
/// A view model that no action has changed has no record: its digest is all that is stored. Another build compares it with
/// its own, and tells clients of view models that are new or show something else. Where an output has gone, or a facet
/// consists of others, it begins a new history: no cursor or entity tag of before stands for what is shown now.
public struct InitialDigests: Hashable, Sendable {
    /// A digest for what each view model shows, in the order of the catalogue; empty where they are not known.
    ///
    /// Behind them 0, and for each view model a digest of its name, its version, and a digest of what it consists of. Behind
    /// those, 0 and the same of view models that builds before had and this one has not, at most 32, where there are
    /// any. Earlier builds stored less, from the beginning on.
    public let digests: [UInt32]

    /// Takes digests from a store.
    public init(digests: [UInt32] = []) { self.digests = digests }

    /// - Parameter initial: of what each view model shows.
    init(initial: [UInt32], of declarations: [Declaration]) {
        digests =
            initial + [Self.separator]
            + declarations.flatMap { [$0.nameDigest, UInt32(clamping: $0.version), $0.shape()] }
    }

    private static let separator: UInt32 = 0
    /// How many view models are remembered that a build has not.
    static let kept = 32

    /// The digest of a text; never the separator.
    static func digest(of text: [UInt8]) -> UInt32 {
        max(separator + 1, UInt32(SHA256.hexDigest(of: text).prefix(8), radix: 16) ?? 0)
    }

    /// Whether an untouched view model still shows what it did; true where no digests are known.
    func has(_ digest: UInt32) -> Bool { digests.isEmpty || digests.contains(digest) }

    /// What each view model consists of, those of the latest build first; empty where that is not known.
    var shapes: [Shape] {
        guard let start = digests.firstIndex(of: Self.separator) else { return [] }
        var shapes: [Shape] = []
        var rest = digests[(start + 1)...]
        var isGone = false
        while let name = rest.popFirst() {
            if name == Self.separator {
                isGone = true
            } else if let version = rest.popFirst(), let shape = rest.popFirst() {
                shapes.append(Shape(name: name, version: version, digest: shape, isGone: isGone))
            }
        }
        return shapes
    }

    /// These, with the view models that builds before had and this one has not.
    ///
    /// - Parameters:
    ///   - known: what is stored.
    ///   - withheld: by the digests of their names, those that this build has and cannot show: they are as good as gone.
    func remembering(_ known: InitialDigests, but withheld: Set<UInt32> = []) -> InitialDigests {
        guard known != self || !withheld.isEmpty else { return self }
        let shown = shapes.filter { !withheld.contains($0.name) }
        let names = Set(shown.map(\.name))
        let gone = known.shapes.filter { !names.contains($0.name) }.prefix(Self.kept)
        guard !gone.isEmpty || shown.count < shapes.count else { return self }
        return InitialDigests(
            digests: digests.prefix { $0 != Self.separator } + [Self.separator] + Self.words(shown)
                + [Self.separator] + Self.words(gone))
    }

    private static func words(_ shapes: some Sequence<Shape>) -> [UInt32] {
        shapes.flatMap { [$0.name, $0.version, $0.digest] }
    }

    /// What a view model consisted of in the latest build that had it.
    struct Shape {
        /// A digest of its name.
        let name: UInt32
        let version: UInt32
        /// A digest of its outputs and facets.
        let digest: UInt32
        /// Whether the build that committed last has it not.
        let isGone: Bool
    }
}

extension Declaration {
    /// A digest of what the view model shows before an action has changed it.
    func initialDigest(of json: [UInt8]) -> UInt32 { InitialDigests.digest(of: Array(name.rawValue.utf8) + json) }

    /// A digest of the view model's name.
    var nameDigest: UInt32 { InitialDigests.digest(of: Array(name.rawValue.utf8)) }

    /// A digest of what the view model consists of, which is what its representations have as members.
    ///
    /// - Parameter known: the outputs that count; nil for all. Facets count as they are.
    func shape(of known: Set<String>? = nil) -> UInt32 {
        var words = outputNames.map(\.rawValue).filter { known?.contains($0) ?? true }
        for facet in facets { words += ["/" + facet.name.rawValue] + facet.outputs.map { outputNames[$0].rawValue } }
        return InitialDigests.digest(of: Array(words.joined(separator: " ").utf8))
    }
}

/// What a build's view models show before an action has changed them: the same in each session of a language.
///
/// Made once, of instances outside of any session. So an entity tag of what nobody has touched stands for one content in all
/// of a process, as long as the store has the digest of it; an instance that shows something else is told of by a commit.
final class Untouched: Sendable {
    let catalogue: Catalogue
    /// The language, one that is spoken.
    let language: Language
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
        self.language = language
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
