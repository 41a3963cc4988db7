import Entities

/// The state of a simulated view model: the numbers of the actions that ran on it.
///
/// So the judge sees in each state which actions happened, and how often.
struct Ledger: Sendable {
    /// Actions that outputs show.
    var shown: [Int] = []
    /// Actions that no output shows.
    var hidden: [Int] = []

    var stored: [UInt8] {
        Array(
            (shown.map(String.init).joined(separator: ",") + "|" + hidden.map(String.init).joined(separator: ",")).utf8)
    }

    init() {}

    init(_ stored: [UInt8]) {
        let halves = String(decoding: stored, as: UTF8.self).split(separator: "|", omittingEmptySubsequences: false)
        shown = halves[0].split(separator: ",").compactMap { Int($0) }
        hidden = halves[1].split(separator: ",").compactMap { Int($0) }
    }
}

/// The effect of a simulated action.
enum Deed: Int, CaseIterable, Sendable {
    /// Appends its number.
    case add
    /// Appends its number, and to part `b` as a reaction.
    case react
    /// Appends its number where no output shows it.
    case hide
    /// Appends its number, and starts an effect whose result appends its own.
    case effect
    /// Appends its number, and starts a timer.
    case timer
    /// Appends its number, and cancels the effect with a key.
    case cancel
    /// Leaves everything as it is.
    case nothing
    /// Appends its number to its copy, then refuses.
    case refuse
    /// Appends its number to its copy, then fails.
    case fail
}

struct Body: Sendable {
    /// The number that the ledger keeps.
    let id: Int
    let deed: Deed
    /// The number of the ask.
    let ask: Int
}

struct Refused: Error {}
struct Failed: Error {}

/// A build of the program: builds derive other outputs, or cannot read or do not know a part.
struct Build: PartHost {
    /// 0 and 1 are alike; 2 derives another text of `b`, 3 other texts of long ledgers; 4 is too old to
    /// read `c`; 5 does not know `c`.
    let number: Int
    /// The planted fault of a view model whose copies share their state.
    var leak: LeakyLedger?

    static let count = 6

    var declarations: [PartDeclaration] {
        (number == 5 ? ["a", "b"] : ["a", "b", "c"]).map {
            PartDeclaration(name: $0, outputs: ["count", "odd", "text"], facets: ["parity": [1]])
        }
    }

    private func version(of name: String) -> Int { name == "c" && number != 4 ? 2 : 1 }

    func part(_ ledger: Ledger, _ name: String, _ language: String) -> Part {
        let count = ledger.shown.count
        var text = "\(language) \(ledger.shown.last ?? 0)"
        if number == 2, name == "b" { text += "!" }
        if number == 3, count >= 3 { text += "?" }
        let outputs = ["\(count)", "\(count % 2 == 1)", "\"\(text)\""].map { Array($0.utf8) }
        return Part(value: ledger, version: version(of: name), stored: ledger.stored, outputs: outputs)
    }

    func initial(_ name: String, language: String) -> Part { part(Ledger(), name, language) }

    func read(_ name: String, stored: [UInt8], version: Int, language: String) throws -> Part {
        guard version <= self.version(of: name) else { throw Failed() }
        return part(Ledger(stored), name, language)
    }

    func rederive(_ part: Part, _ name: String, language: String) -> Part {
        self.part(ledger(of: part), name, language)
    }

    private func ledger(of part: Part) -> Ledger {
        // Safe: this host makes all values.
        part.value as? Ledger ?? Ledger(part.stored)
    }

    func run(_ call: Call, on state: EntityState) throws(ActionError) -> Changes {
        guard let body = call.body as? Body else { throw .failed(Failed()) }
        var changes = Changes()
        do {
            var ledger = ledger(of: try state.part(call.part))
            leak?.join(&ledger, call.part)
            switch body.deed {
            case .add, .react, .refuse, .fail, .effect, .timer, .cancel: ledger.shown.append(body.id)
            case .hide: ledger.hidden.append(body.id)
            case .nothing: break
            }
            if body.deed == .refuse || body.deed == .fail { leak?.left(ledger, call.part) }
            if body.deed == .refuse { throw ActionError.refused(Refused()) }
            if body.deed == .fail { throw ActionError.failed(Failed()) }
            changes.parts.append((call.part, part(ledger, call.part, state.language)))
            if body.deed == .cancel { changes.effects.append(.cancel(part: call.part, key: Effects.key)) }
            if let effect = effect(of: body, call.part) {
                changes.effects.append(.start(effect, after: body.deed == .timer ? .seconds(20) : nil))
            }
            if body.deed == .react {
                changes.posts.append(("react", ["id": body.id]))
                if call.part != "b" {
                    var other = self.ledger(of: try state.part("b"))
                    other.shown.append(-body.id)
                    changes.parts.append(("b", part(other, "b", state.language)))
                }
            }
        } catch let error as ActionError {
            throw error
        } catch {
            throw .failed(error)
        }
        return changes
    }

    func runAsync(_ call: Call, on state: EntityState) async throws(ActionError) -> Changes {
        try run(call, on: state)
    }
}

/// Keeps the copy of an aborted action, and hands it to the next one.
// Safe: the simulator has one thread.
final class LeakyLedger: @unchecked Sendable {
    private var left: [String: Ledger] = [:]

    func left(_ ledger: Ledger, _ part: String) { left[part] = ledger }

    func join(_ ledger: inout Ledger, _ part: String) {
        if let leaked = left.removeValue(forKey: part), let last = leaked.shown.last { ledger.shown.append(last) }
    }
}
