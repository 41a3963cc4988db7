import Binding
import ViewModels

/// What an action of the ledger is told: its own name, and how long it takes.
struct Order: Codable, Sendable {
    var id: Int
    var milliseconds: Int
}

/// The actions of the ledger, in declared order.
enum ActionKind: Int, CaseIterable {
    case add, wait, hang, refuse, fail, nothing, drudge, balk

    var weight: Int {
        switch self {
        case .add: 12
        case .wait: 4
        case .hang: 1
        case .refuse, .nothing, .balk: 2
        case .fail, .drudge: 1
        }
    }

    /// Whether what it does to the model is to be seen when it is done.
    var leavesID: Bool { self == .add || self == .wait || self == .hang || self == .drudge }
}

/// Keeps the name of each action that was done to it, so that one that is lost, doubled or out of order is seen.
final class LedgerViewModel<B: Build>: ViewModel {
    struct Model: StoredModel {
        /// The names, with a blank between them: text is written and read faster than a list.
        var ids = ""
        var count = 0

        static var version: Int { B.number + 1 }
    }

    static var interface: Interface<LedgerViewModel<B>> { B.ledger }

    static var declared: Interface<LedgerViewModel<B>> {
        let example = Order(id: 1, milliseconds: 0)
        if B.number == 0 {
            return Interface<LedgerViewModel<B>>("ledger") {
                Output("ids", \.shownIDs)
                Output("count", \.count)
                Action("add", example: example, LedgerViewModel.add)
                Action("wait", example: example, LedgerViewModel.wait)
                Action("hang", example: example, LedgerViewModel.hang)
                Action("refuse", example: example, LedgerViewModel.refuse)
                Action("fail", example: example, LedgerViewModel.fail)
                Action("nothing", example: example, LedgerViewModel.nothing)
                Action("drudge", example: example, LedgerViewModel.drudge)
                Action("balk", example: example, LedgerViewModel.balk)
            }
        }
        return Interface<LedgerViewModel<B>>("ledger") {
            Output("ids", \.shownIDs)
            Output("count", \.count)
            Output("last", \.shownLast)
            Action("add", example: example, LedgerViewModel.add)
            Action("wait", example: example, LedgerViewModel.wait)
            Action("hang", example: example, LedgerViewModel.hang)
            Action("refuse", example: example, LedgerViewModel.refuse)
            Action("fail", example: example, LedgerViewModel.fail)
            Action("nothing", example: example, LedgerViewModel.nothing)
            Action("drudge", example: example, LedgerViewModel.drudge)
            Action("balk", example: example, LedgerViewModel.balk)
        }
    }

    struct Failure: Error {}

    func add(_ order: Order) {
        replica?.noteEffect(of: order.id)
        put(down: order.id)
    }

    func wait(_ order: Order) async throws {
        replica?.noteEffect(of: order.id)
        try await replica?.timeline.sleep(for: order.milliseconds)
        put(down: order.id)
    }

    /// Waits for ever, or for so long that it should have been given up, and takes no heed of that.
    func hang(_ order: Order) async throws {
        replica?.noteEffect(of: order.id)
        if order.milliseconds == 0 {
            try await replica?.timeline.sleep(for: 1_000_000_000)
        } else {
            await replica?.pause(order.milliseconds)
        }
        put(down: order.id)
    }

    func refuse(_ order: Order) throws {
        replica?.noteEffect(of: order.id)
        if order.milliseconds > 0 { put(down: order.id) }
        throw ActionRefusal.disabled("Never.")
    }

    func fail(_ order: Order) throws {
        replica?.noteEffect(of: order.id)
        if order.milliseconds > 0 { put(down: order.id) }
        throw Failure()
    }

    func nothing(_ order: Order) { replica?.noteEffect(of: order.id) }

    /// Holds its thread for a while.
    func drudge(_ order: Order) {
        replica?.noteEffect(of: order.id)
        replica?.world.now += 5
        put(down: order.id)
    }

    /// Fails on some states, and not on those before and after them.
    func balk(_ order: Order) throws {
        replica?.noteEffect(of: order.id)
        if model.count % 2 == 1 { throw Failure() }
    }

    let shownIDs: Variable<String>
    let shownLast: Variable<Int>
    /// Each build counts otherwise.
    var count: Int { model.count * (B.number + 1) }
    private(set) var model: Model
    private let replica: Replica?

    init(model: Model, replica: Replica?) {
        self.model = model
        self.replica = replica
        shownIDs = Variable(model.ids)
        shownLast = Variable(model.ids.split(separator: " ").last.flatMap { Int($0) } ?? 0)
    }

    private func put(down id: Int) {
        model.ids += model.ids.isEmpty ? "\(id)" : " \(id)"
        model.count += 1
        shownIDs.value = model.ids
        shownLast.value = id
    }
}
