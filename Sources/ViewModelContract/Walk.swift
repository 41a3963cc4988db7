import Foundation
import ViewModels

/// Runs the actions of the view models of one session, and checks the result of each.
struct Walk {
    private(set) var violations: [Violation] = []
    private let catalogue: Catalogue
    private let language: Language
    private var generator = SplitMix64()
    private var parts: [String: Part] = [:]
    private var steps: [String] = []
    private var started: [(viewModel: String, name: String)] = []

    init(_ catalogue: Catalogue, in language: Language) { (self.catalogue, self.language) = (catalogue, language) }

    /// Runs every action once with its example, in declared order, and then random actions.
    mutating func take(_ count: Int) async {
        let actions = catalogue.viewModels.flatMap { viewModel in viewModel.actions.map { (viewModel.name, $0) } }
        for viewModel in catalogue.viewModels {
            if let part = try? viewModel.initial(in: language) { check(part, viewModel.name) }
        }
        for step in 0..<count {
            let planned = step < actions.count ? actions[step] : actions.randomElement(using: &generator)
            guard let (name, action) = planned else { return }
            let isExample = step < actions.count || generator.next() % 3 == 0
            let body = isExample ? action.example : action.input.map { Array($0.madeUp(by: &generator).utf8) } ?? []
            await run(action, of: name, body, isExample: isExample)
            if let effect = started.popLast() { finish(effect.name, of: effect.viewModel) }
        }
    }

    private mutating func run(
        _ action: ViewModelDescription.Action, of name: String, _ body: [UInt8], isExample: Bool
    ) async {
        do {
            take(try await catalogue.runAsync(step(action.name, of: name, body)) { [parts] in parts[$0] })
        } catch { judge(error, of: action, name, isExample: isExample) }
    }

    /// Fires a timer, or lets the work of an effect fail finally.
    private mutating func finish(_ effect: String, of name: String) {
        guard let hosted = catalogue.effect(effect, of: name) else { return }
        let result: Result<any Sendable, any Error> =
            hosted.prepare == nil ? .success(()) : .failure(Refusal.disabled("The work fails, for the contract."))
        do {
            take(try catalogue.run(step(effect, of: name, result: result)) { [parts] in parts[$0] })
        } catch {
            complain(name, "The effect \(effect) throws when it takes its result, so the result is lost: \(error).")
        }
    }

    private mutating func step(
        _ action: String, of name: String, _ body: [UInt8] = [], result: Result<any Sendable, any Error>? = nil
    ) -> ActionCall {
        let path = catalogue.viewModels.count == 1 ? action : "\(name)/\(action)"
        steps.append(body.isEmpty ? path : "\(path) \(String(decoding: body, as: UTF8.self))")
        return ActionCall(
            name, ActionRequest(action, body: body, result: result, sessionID: "session"), language: language,
            time: Date(timeIntervalSinceReferenceDate: Double(steps.count)))
    }

    private mutating func take(_ result: RunResult) {
        parts.merge(result.changed) { $1 }
        for (name, part) in result.changed.sorted(by: { $0.name < $1.name }) { check(part, name) }
        for (viewModel, request) in result.effects {
            if case .start(let name, _, _, _) = request { started.append((viewModel, name)) }
        }
    }

    /// Compares a state with its schemas, and with the state that is read back from its stored form.
    private mutating func check(_ part: Part, _ name: String) {
        guard let viewModel = catalogue.viewModel(name) else { return }
        for (output, text) in zip(viewModel.outputs, part.outputs) {
            do { try output.schema.check(JSONValue(parsing: text)) } catch {
                complain(name, "The output \(output.name) does not fit its schema: \(error).")
            }
        }
        do {
            let other = try catalogue.read(
                name, stored: part.stored, version: viewModel.version, language: language)
            for (output, (old, new)) in zip(viewModel.outputs, zip(part.outputs, other.outputs)) where old != new {
                complain(
                    name,
                    "The output \(output.name) differs after the view model is stored and read back: it depends "
                        + "on something that is not stored.")
            }
            if other.stored != part.stored {
                complain(name, "The stored form differs after it is read back. Keep lists in a fixed order.")
            }
        } catch { complain(name, "Its stored form cannot be read back: \(error).") }
    }

    /// Checks that the action declares this error.
    private mutating func judge(
        _ error: any Error, of action: ViewModelDescription.Action, _ name: String, isExample: Bool
    ) {
        switch error {
        case let refusal as Refusal:
            if isExample, refusal.kind == .invalid {
                complain(name, "\(action.name) refuses its own example: \(refusal.detail)")
            }
            guard !action.refusals.contains(where: { $0.kind == refusal.kind }) else { return }
            complain(
                name,
                "\(action.name) throws the refusal \(refusal.kind.type) but does not declare it. Add .refusing(…), so that "
                    + "its description lists it.")
        case is InputFault: break
        default:
            complain(
                name,
                "\(action.name) fails, so the server answers 500: \(error). If the caller can do something about it, "
                    + "throw a Refusal.")
        }
    }

    private mutating func complain(_ name: String, _ complaint: String) {
        violations.add(name, complaint, after: steps)
    }
}

/// The generator of Sebastiano Vigna (prng.di.unimi.it/splitmix64.c), from a fixed seed.
struct SplitMix64: RandomNumberGenerator {
    private var state: UInt64 = 1

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var z = state
        z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
        return z ^ (z >> 31)
    }
}
