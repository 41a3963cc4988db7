import Samples
import Sessions
import TestSupport
import Testing
import ViewModels

/// Has something under way that a refusal of another view model must not end: whoever makes it anew begins that again.
private final class Seeker: ViewModel {
    struct Model: StoredModel {
        var wanted = false
        var tags: Set<String> = []
        static let version = 2
    }

    static let interface = Interface<Seeker>("seeker") {
        Output("wanted", \.wanted)
        Action("want", Seeker.want)
    }

    func want() {
        model.wanted = true
        model.tags = Set((0..<40).map { "tag\($0)" })
    }
    var wanted: Bool { model.wanted }
    private(set) var model: Model
    init(model: Model) { self.model = model }
}

/// An earlier build's, whose model has a member less, and whose output says it in other words.
private final class Earlier: ViewModel {
    struct Model: StoredModel { var wanted = false }

    static let interface = Interface<Earlier>("seeker") {
        Output("wanted", \.wanted)
        Action("want", Earlier.want)
    }

    func want() { model.wanted = true }
    var wanted: String { model.wanted ? "yes" : "no" }
    private(set) var model: Model
    init(model: Model) { self.model = model }
}

/// A build whose model has a member more, and shows the same.
private final class Same: ViewModel {
    struct Model: StoredModel {
        var wanted = false
        var more = 7
    }

    static let interface = Interface<Same>("seeker") {
        Output("wanted", \.wanted)
        Action("want", Same.want)
    }

    func want() { model.wanted = true }
    var wanted: String { model.wanted ? "yes" : "no" }
    private(set) var model: Model
    init(model: Model) { self.model = model }
}

@Suite("What a view model has under way")
struct UnderWayTests {
    private static func catalogue(_ seeker: Declaration) -> Catalogue {
        Catalogue([seeker, .hosting(CounterViewModel.init(model:))])
    }

    /// How many instances of the next build are made while another view model refuses again and again.
    private func instances<Next: ViewModel>(
        after first: Declaration, of next: @escaping @Sendable (Next.Model) -> Next
    ) async throws -> Int {
        let made = History<Int>()
        let bench = try await Bench(of: Self.catalogue(first))
        _ = try await bench.session.perform(ActionID(0, of: 0))
        let catalogue = Self.catalogue(
            .hosting { (model: Next.Model) in
                made.note(1)
                return next(model)
            })
        let there = try #require(try await bench.replica(of: catalogue).session(for: bench.token).value)
        _ = try await there.view(at: 0).value
        let before = made.elements.count
        for _ in 0..<3 { await #expect(throws: SessionFailure.self) { try await there.perform(ActionID(1, of: 1)) } }
        // Nor after it was changed, and is as it is stored.
        _ = try await there.perform(ActionID(0, of: 0))
        for _ in 0..<3 { await #expect(throws: SessionFailure.self) { try await there.perform(ActionID(1, of: 1)) } }
        return made.elements.count - before
    }

    @Test("is not ended by a refusal where a build's model has a member more than what was stored")
    func memberMore() async throws {
        #expect(try await instances(after: .hosting(Earlier.init(model:)), of: Same.init(model:)) == 0)
    }

    @Test("is not ended by a refusal where a later version stored it, and shows it in other words")
    func laterVersion() async throws {
        #expect(try await instances(after: .hosting(Seeker.init(model:)), of: Earlier.init(model:)) == 0)
    }

    @Test("is not ended by a refusal where its model has a set, which is encoded in another order each time")
    func set() async throws {
        #expect(try await instances(after: .hosting(Seeker.init(model:)), of: Seeker.init(model:)) == 0)
    }
}
