import Sessions
import ViewModels

extension Judge {
    /// Looks at a commit before it is stored: what the history is from then on.
    func look(at node: Node, of session: StoredSession, by replica: Replica) {
        _ = world.describe(node.cursor)
        let before = node.parent?.ids ?? []
        node.ids = before
        if let record = node.record.viewModels["ledger"], record != node.parent?.record.viewModels["ledger"] {
            node.ids = Self.ids(in: record.model)
        }
        guard node.ids.starts(with: before) else {
            return fail("law 3", "\(session.name): the ledger had \(before), and is replaced by \(node.ids)")
        }
        let new = node.ids.dropFirst(before.count)
        guard new.count <= 1 else {
            return fail("law 3", "\(session.name): one commit is of the actions \(Array(new))")
        }
        node.newID = new.first
        if Self.ticks(in: node) > Self.ticks(in: node.parent), !world.leases.mayChange(session.id, at: replica) {
            fail("law 4", "\(session.name) changes by itself at \(replica.name), which does not hold its lease")
        }
        // The first commit of a later build is what it derives otherwise.
        let labelled = (node.record.viewModels["label"]?.version ?? 1) - 1
        if let parent = node.parent, parent.build < node.build, labelled < node.build, !world.isRolling {
            fail("law 2", "\(session.name): a later build commits before it has derived")
        }
        // What was remembered for its time may happen again after it.
        let known = node.outcome.flatMap { node.parent?.outcomes[$0.key] }
        let isForgotten = known.map { $0.end <= world.timeOfDay } ?? false
        if let id = new.first, before.contains(id), !isForgotten {
            return failTwice(node, "\(session.name): action \(id) is done twice")
        }
        lookAtLanguage(of: node, of: session, by: replica)
        guard let outcome = node.outcome, let parent = node.parent else { return }
        if parent.outcomes[outcome.key].map({ $0.end > world.timeOfDay }) == true {
            failTwice(node, "\(session.name): the key \(world.name(of: outcome.key)) has two outcomes")
        }
    }

    /// All that is stored is in the language that is stored, and that is another only where somebody has just asked for it.
    private func lookAtLanguage(of node: Node, of session: StoredSession, by replica: Replica) {
        let language = node.record.language
        let text = node.record.viewModels["label"]?.outputs.first { $0.name == "text" }?.value
        if let text, !String(decoding: text, as: UTF8.self).hasSuffix(" in \(language)\"") {
            fail("law 1", "\(session.name): in \(language) stands \(String(decoding: text, as: UTF8.self))")
        }
        guard let parent = node.parent, parent.record.language != language else { return }
        let isAsked = open.contains { op in
            guard case .language(language) = op.ask else { return false }
            return op.session === session && op.replica === replica
        }
        if !isAsked { fail("law 1", "\(session.name) is stored in \(language), which nobody has asked for") }
    }

    private func failTwice(_ node: Node, _ what: String) {
        fail("law 4", what)
    }

    /// How often a session's ticker has ticked.
    private static func ticks(in node: Node?) -> Int {
        let model = node?.record.viewModels["ticker"]?.model ?? []
        return model.reduce(0) { (48...57).contains($1) ? $0 * 10 + Int($1 - 48) : $0 }
    }

    /// The names in a stored ledger.
    static func ids(in model: [UInt8]) -> [Int] {
        let mark = Array("\"ids\":\"".utf8)
        guard let start = model.indices.first(where: { model[$0...].starts(with: mark) }) else { return [] }
        let text = model[(start + mark.count)...].prefix { $0 != UInt8(ascii: "\"") }
        return text.split(separator: UInt8(ascii: " ")).map {
            $0.reduce(0) { $0 * 10 + Int($1 - 48) }
        }
    }

    /// What was told not to be done is in no history.
    func lookAtUndone() {
        for session in world.disk.sessions {
            for node in session.nodes {
                guard let id = node.newID, let fate = fates[id], fate.undone == fate.asked else { continue }
                return fail("law 8", "\(session.name): action \(id) was told not to be done, and is stored")
            }
        }
        // The public session's keys are kept for ten minutes.
        guard world.now < 600_000 else { return }
        for (id, count) in effects.sorted(by: { $0.key < $1.key }) {
            guard let fate = fates[id], fate.isKeyed, count > 1 + fate.excuses else { continue }
            fail("law 4", "the keyed action \(id) ran \(count) times, with \(fate.excuses) excuses")
        }
    }
}
