import Sessions
import ViewModels

/// A build of the service: it derives an output of its own, and a later one has an output and a view model more.
protocol Build: SendableMetatype {
    static var number: Int { get }
    static var ledger: Interface<LedgerViewModel<Self>> { get }
    static var label: Interface<LabelViewModel<Self>> { get }
    static var ticker: Interface<TickerViewModel<Self>> { get }
    static var bonus: Interface<BonusViewModel<Self>> { get }
}

enum FirstBuild: Build {
    static let number = 0
    static let ledger = LedgerViewModel<Self>.declared
    static let label = LabelViewModel<Self>.declared
    static let ticker = TickerViewModel<Self>.declared
    static let bonus = BonusViewModel<Self>.declared
}

enum SecondBuild: Build {
    static let number = 1
    static let ledger = LedgerViewModel<Self>.declared
    static let label = LabelViewModel<Self>.declared
    static let ticker = TickerViewModel<Self>.declared
    static let bonus = BonusViewModel<Self>.declared
}

enum ThirdBuild: Build {
    static let number = 2
    static let ledger = LedgerViewModel<Self>.declared
    static let label = LabelViewModel<Self>.declared
    static let ticker = TickerViewModel<Self>.declared
    static let bonus = BonusViewModel<Self>.declared
}

/// What a build is known by to those who judge it.
struct BuildFacts: Sendable {
    /// What view models live in that belong to no session.
    static func nowhere(in language: Language) -> ViewModelContext {
        ViewModelContext(language: language) { _, _ in throw CancellationError() }
    }
    static let all = (0..<3).map(BuildFacts.init)
    static let mostOutputs = 4

    struct ViewModelFacts: Sendable {
        let declaration: Declaration
        let name: String
        let outputs: [String]
        /// What is shown of one that nobody has touched, in each language.
        let initial: [Language: [[UInt8]]]
    }

    let viewModels: [ViewModelFacts]

    private init(_ number: Int) {
        viewModels = Catalogue.of(build: number, in: nil).viewModels.map { declaration in
            func initial(in language: Language) -> [[UInt8]] {
                guard let made = try? declaration.make(in: Self.nowhere(in: language)) else {
                    // Its initializer throws nothing: a mistake in the simulation.
                    fatalError("It cannot be made.")
                }
                return declaration.outputs.indices.map { (try? made.encodedOutput(at: $0)) ?? [] }
            }
            return ViewModelFacts(
                declaration: declaration, name: declaration.name.rawValue,
                outputs: declaration.outputNames.map(\.rawValue),
                initial: Dictionary(
                    uniqueKeysWithValues: Languages.simulated.all.map { ($0, initial(in: $0)) }))
        }
    }

    /// What a build shows of a stored view model.
    func derived(
        _ viewModel: Int, _ output: Int, from record: ViewModelRecord, in language: Language
    ) -> [UInt8] {
        let made = try? viewModels[viewModel].declaration.make(
            in: Self.nowhere(in: language), from: record.model, storedBy: record.version)
        return (try? made?.encodedOutput(at: output)) ?? []
    }

    /// The number of an output in all builds, by the names it goes by.
    static func number(of viewModel: some StringProtocol, _ output: some StringProtocol) -> Int? {
        let facts = all[2]
        for (place, known) in facts.viewModels.enumerated() where known.name == viewModel {
            return known.outputs.firstIndex { $0 == output }.map { place * mostOutputs + $0 }
        }
        return nil
    }

    /// The numbers of a view model's outputs in this build.
    func numbers(of viewModel: Int) -> Range<Int> {
        let first = viewModel * Self.mostOutputs
        return first..<(first + viewModels[viewModel].outputs.count)
    }
}

extension Catalogue {
    /// What a build hosts.
    ///
    /// - Parameter replica: where its view models live; nil for those that live nowhere.
    static func of(build number: Int, in replica: Replica?) -> Catalogue {
        switch number {
        case 0: .of(FirstBuild.self, in: replica)
        case 1: .of(SecondBuild.self, in: replica)
        default: .of(ThirdBuild.self, in: replica)
        }
    }

    private static func of<B: Build>(_ build: B.Type, in replica: Replica?) -> Catalogue {
        var viewModels: [Declaration] = [
            .hosting { LedgerViewModel<B>(model: $0, replica: replica) },
            .hosting { LabelViewModel<B>(model: $0, language: $1.language) },
            .hosting { TickerViewModel<B>(model: $0, context: $1, replica: replica) },
        ]
        if B.number > 0 { viewModels.append(.hosting { BonusViewModel<B>(model: $0) }) }
        return Catalogue(viewModels, languages: .simulated)
    }
}

extension Languages {
    /// What every build speaks.
    static let simulated = Languages(.english, .japanese, "de")
}
