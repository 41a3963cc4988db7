import Entities
import Locking

/// A build with one view model, whose only action adds one.
struct Tally: PartHost {
    let declarations = [PartDeclaration(name: "tally", outputs: ["count"])]

    private func part(_ count: Int) -> Part {
        let text = Array("\(count)".utf8)
        return Part(value: count, version: 1, stored: text, outputs: [text])
    }

    func initial(_ name: String, language: String) -> Part { part(0) }

    func read(_ name: String, stored: [UInt8], version: Int, language: String) throws -> Part {
        part(Int(String(decoding: stored, as: UTF8.self)) ?? 0)
    }

    func rederive(_ part: Part, _ name: String, language: String) -> Part { part }

    func run(_ call: Call, on state: EntityState) throws(ActionError) -> Changes {
        guard let tally = try? state.part(call.part), let count = tally.value as? Int else { throw .busy }
        return Changes(parts: [(call.part, part(count + 1))])
    }

    func runAsync(_ call: Call, on state: EntityState) async throws(ActionError) -> Changes {
        try run(call, on: state)
    }
}

/// A client that adds one to an entity, again and again, with one key for each action.
final class Client: Sendable {
    private let entity: Entity
    private let name: String
    private let count = Lock(0)
    private let done: @Sendable (Client, Outcome, Int) -> Void

    /// - Parameter done: takes each outcome, with the number of its action.
    init(_ name: String, _ environment: Environment, done: @escaping @Sendable (Client, Outcome, Int) -> Void) {
        let state = EntityState(initial: environment.kinds.session["en"])
        entity = Entity(EntityID(kind: "named", text: name), state: state, environment: environment)
        (self.name, self.done) = (name, done)
    }

    /// Adds one.
    func act() {
        let number = count.withLock { count in
            count += 1
            return count
        }
        let key = AskKey(
            digest: KeyDigest(key: Array("\(name) \(number)".utf8), of: nil), request: [1], window: .seconds(3_600)
        ) { _ in Remembered(status: 200, body: Array("\(number)".utf8)) }
        let ask = Ask(.action(Call(part: "tally", body: ())), key: key) { [self] outcome in
            done(self, outcome, number)
        }
        entity.ask(ask)
    }
}
