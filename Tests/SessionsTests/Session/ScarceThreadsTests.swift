import Binding
import Foundation
import Locking
import TestSupport
import Testing
import ViewModels

@testable import Sessions

@Suite("Where there is no thread for making view models", .timeLimit(.minutes(5)))
struct ScarceThreadsTests {
    @Test(
        "what a refused action changed in another view model is not stored by the next, though that was not made anew"
    )
    func refused() async throws {
        let (shared, threads, store) = (Variable(0), ScarceThreads(), MemoryStore())
        let catalogue = Catalogue([
            Declaration(Speaker.self) { Speaker(model: $0, context: $1) },
            Declaration(Hearer.self) { Hearer(model: $0, shared: shared, context: $1) },
        ])
        let registry = SessionRegistry(
            catalogue: catalogue, store: store, limits: SessionLimits(), timeline: ManualTimeline(), threads: threads)
        let (token, session) = try await registry.begin(language: .japanese)
        _ = try await session.perform(ActionID(0, of: 1))
        threads.isScarce.withLock { $0 = true }
        #expect(await failure { try await session.perform(ActionID(0, of: 0)) } == "refused")
        threads.isScarce.withLock { $0 = false }
        let view = try await session.perform(ActionID(0, of: 1))
        #expect(String(utf8: view.json) == #"{"shared":0,"heard":0,"likes":2}"#)
        let stored = store.load(token.sessionID)?.viewModels["hearer"]?.model
        #expect(stored.map { String(utf8: $0) } == #"{"heard":0,"likes":2}"#)
    }

    @Test("a view model that was thrown away meanwhile is made anew once there is one, though nobody acts")
    func awake() async throws {
        let (threads, timeline, instances) = (ScarceThreads(), ManualTimeline(), History<Int>())
        let catalogue = Catalogue([
            Declaration(Refuser.self) {
                instances.note(1)
                return Refuser(model: $0, context: $1)
            }
        ])
        let registry = SessionRegistry(
            catalogue: catalogue, store: MemoryStore(), limits: SessionLimits(), timeline: timeline, threads: threads)
        let session = try await registry.begin(language: .japanese).session
        _ = try await session.perform(ActionID(0, of: 0))
        threads.isScarce.withLock { $0 = true }
        #expect(await failure { try await session.perform(ActionID(1, of: 0)) } == "refused")
        let made = instances.elements.count
        threads.isScarce.withLock { $0 = false }
        try await timeline.sleeper(until: .seconds(1))
        timeline.advance(by: .seconds(1))
        #expect(await eventually { instances.elements.count == made + 1 })
    }
}

/// Threads that have none for making view models while told so.
private final class ScarceThreads: ThreadSupply {
    private let behind = ActionThreads(atMost: 16)
    let isScarce = Lock(false)

    var runJob: (@Sendable (@escaping @Sendable () -> Void) -> Void)? { behind.runJob }

    func run(_ work: @escaping @Sendable () -> Void) -> Bool { behind.run(work) }

    func runChange(_ work: @escaping @Sendable () -> Void) -> Bool { behind.runChange(work) }

    func runMaking(_ work: @escaping @Sendable () -> Void) -> Bool {
        isScarce.withLock(\.self) ? false : behind.runMaking(work)
    }

    func afterwards(_ follow: () -> Void) { behind.afterwards(follow) }
}

private let spoken = Notification.Name("ScarceThreadsTests.spoken")

/// Speaks on the session's center, and refuses.
private final class Speaker: ViewModel {
    struct Model: StoredModel { var said = 0 }

    static let interface = Interface<Speaker>("speaker") {
        Output("said", \.said)
        Action("speak", Speaker.speak)
    }

    func speak() throws {
        center.post(name: spoken, object: nil)
        throw ActionRefusal.disabled("No.")
    }

    let said = Variable(0)
    let model: Model
    private let center: NotificationCenter

    init(model: Model, context: ViewModelContext) {
        self.model = model
        center = context.center
    }
}

/// Counts what it hears, and shows a variable that is not its own.
private final class Hearer: ViewModel {
    struct Model: StoredModel { var heard = 0, likes = 0 }

    static let interface = Interface<Hearer>("hearer") {
        Output("shared", \.shared)
        Output("heard", \.heard)
        Output("likes", \.likes)
        Action("like", Hearer.like)
    }

    func like() {
        model.likes += 1
        (likes.value, heard.value) = (model.likes, model.heard)
    }

    let shared: Variable<Int>
    let heard: Variable<Int>
    let likes: Variable<Int>
    private(set) var model: Model
    // Safe: set once, in the initializer.
    nonisolated(unsafe) private var observer: (any NSObjectProtocol)?

    init(model: Model, shared: Variable<Int>, context: ViewModelContext) {
        self.model = model
        self.shared = shared
        (heard, likes) = (Variable(model.heard), Variable(model.likes))
        // Safe: told within the session's turn.
        nonisolated(unsafe) weak let me = self
        observer = context.center.addObserver(forName: spoken, object: nil, queue: nil) { _ in me?.model.heard += 1 }
    }
}

/// Changes something before it refuses; and may change by itself, so that it has to be there.
private final class Refuser: ViewModel {
    struct Model: StoredModel { var count = 0 }

    static let interface = Interface<Refuser>("refuser") {
        Output("count", \.count)
        Action("add", Refuser.add)
        Action("refuse", Refuser.refuse)
    }

    func add() {
        model.count += 1
        count.value = model.count
    }

    func refuse() throws {
        add()
        throw ActionRefusal.disabled("No.")
    }

    let count: Variable<Int>
    private(set) var model: Model

    init(model: Model, context: ViewModelContext) {
        self.model = model
        count = Variable(model.count)
        _ = context.changes(of: self)
    }
}
