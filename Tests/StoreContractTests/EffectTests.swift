import Entities
import Testing

/// Protects effects from being forgotten, in each store.
@Suite("An effect")
struct EffectTests {
    /// A commit that starts an effect.
    private func start(
        _ id: String, in line: inout Line, _ store: any EntityStore, after delay: Duration
    ) -> Commit {
        let effect = StoredEffect(id: id, part: "note", name: "charge", key: id, input: #"{"a":"é"}"#, due: 0)
        return line.next(
            Changes(effects: [.start(effect, after: delay)]).timed(at: store.now, after: []) { _ in nil })
    }

    @Test("is stored with its commit, and comes back as it was", arguments: StoreKind.all)
    func stored(_ kind: StoreKind) async throws {
        try await kind.withStore { store, _ in
            var line = Line.session()
            _ = await line.commit(to: store)
            #expect(await store.stored(start("e", in: &line, store, after: .seconds(9))) == "stored")
            let row = try #require(await store.row(of: line.id))
            let loaded = EntityState(row, of: EntityKind(Texts()))
            #expect(loaded.effects == line.state.effects && loaded.effects.map(\.id) == ["e"])
        }
    }

    @Test("gives its entity out once it is due, to one process at a time", arguments: StoreKind.all)
    func due(_ kind: StoreKind) async throws {
        try await kind.withStore { store, bench in
            var (late, soon) = (Line.session("late"), Line(EntityID(kind: "orders", text: "orders/soon")))
            _ = await late.commit(to: store)
            _ = await soon.commit(to: store)
            #expect(await store.takenDue() == [])
            _ = await store.stored(start("a", in: &late, store, after: .seconds(200)))
            _ = await store.stored(start("b", in: &soon, store, after: .seconds(100)))
            #expect(await store.takenDue() == [])
            try await bench.pass(.seconds(150))
            #expect(await store.takenDue() == ["orders/soon"])
            #expect(await store.takenDue() == [])
            try await bench.pass(.seconds(100))
            #expect(await store.takenDue(limit: 1) == ["orders/soon"])
            #expect(await store.takenDue() == ["late"])
        }
    }

    @Test("is given out no more after the commit that ends it", arguments: StoreKind.all)
    func over(_ kind: StoreKind) async throws {
        try await kind.withStore { store, bench in
            var (done, ended) = (Line.session("done"), Line.session("ended"))
            _ = await done.commit(to: store)
            _ = await ended.commit(to: store)
            _ = await store.stored(start("a", in: &done, store, after: .zero))
            _ = await store.stored(start("b", in: &ended, store, after: .zero))
            _ = await store.stored(done.next(Changes(effects: [.cancel(part: "note", key: "a")])))
            _ = await store.stored(ended.end())
            try await bench.pass(.seconds(100))
            #expect(await store.takenDue() == [])
        }
    }
}
