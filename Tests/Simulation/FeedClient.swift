import Entities
import Foundation

/// A client that polls the feed, folds its answers, and changes replicas.
// Safe: the simulator has one thread, and waits for each thread that it starts.
final class FeedClient: @unchecked Sendable {
    let number: Int
    private var outputs: Judge.Outputs = [:]
    private(set) var position = FeedPosition.start
    private var cursor: Stamp?
    private(set) weak var replica: Replica?
    /// Counts the waits, so that an answer to an earlier one is known.
    private var wait = 0
    private(set) var isWaiting = false
    private var id: Waits.ID?

    init(number: Int) { self.number = number }

    func hangUp() {
        if let id { replica?.waits.cancel(id) }
        (isWaiting, replica, id) = (false, nil, nil)
        position = .cursor(cursor)
    }

    func poll(_ replica: Replica, in world: World) {
        guard !isWaiting else { return }
        if self.replica !== replica { position = cursor.map { .cursor($0) } ?? .start }
        self.replica = replica
        isWaiting = true
        wait += 1
        let number = wait
        let id = replica.waits.wait(.everything, since: position, for: .seconds(25)) { [weak self, weak world] answer in
            guard let self, let world else { return }
            guard isWaiting, number == wait else { return world.judge.find("A client got two answers to a wait.") }
            isWaiting = false
            take(answer, in: world)
        }
        if isWaiting { self.id = id }
    }

    private func take(_ answer: Waits.Answer, in world: World) {
        guard case .success(let answer) = answer else { return }
        world.log("client \(number): \(answer.kind) \(answer.cursor)")
        switch answer.kind {
        case .ended: return
        case .idle: break
        case .snapshot: outputs = [:]
        case .delta: if Self.entries(answer.body).isEmpty { world.judge.find("A delta has no changes.") }
        }
        outputs.merge(Self.entries(answer.body)) { $1 }
        (position, cursor) = (answer.position, answer.cursor)
        world.judge.folded(outputs, at: answer.cursor)
    }

    /// The entries of a body, by `viewModel.output`.
    private static func entries(_ body: [UInt8]) -> Judge.Outputs {
        var outputs: Judge.Outputs = [:]
        for entry in String(decoding: body, as: UTF8.self).components(separatedBy: "{\"seq\":").dropFirst() {
            let halves = entry.components(separatedBy: ",\"value\":")
            let names = halves[0].components(separatedBy: "\"")
            let value = halves[1].components(separatedBy: "}")[0]
            outputs["\(names[5 - 2]).\(names[7])"] = Array(value.utf8)
        }
        return outputs
    }
}
