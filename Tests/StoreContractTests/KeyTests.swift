import Entities
import Testing

/// Protects that each store does an action with a key once.
@Suite("A key")
struct KeyTests {
    @Test("is stored with the change, and gives its outcome again", arguments: StoreKind.all)
    func outcome(_ kind: StoreKind) async throws {
        try await kind.withStore { store, _ in
            var line = Line.session()
            _ = await line.commit(to: store)
            #expect(await store.key("one", in: line.id) == "missing of 0")
            _ = await store.stored(line.next("a", key: .named("one")))
            _ = await store.stored(line.next("b", key: .named("two", body: "", etag: nil)))
            #expect(await store.key("one", in: line.id) == "200, body, 7.abc, request of one")
            #expect(await store.key("two", in: line.id) == "200, , none, request of two")
            #expect(await store.key("three", in: line.id) == "missing of 2")
        }
    }

    @Test("is stored without a change, and with the first commit", arguments: StoreKind.all)
    func unchanged(_ kind: StoreKind) async throws {
        try await kind.withStore { store, _ in
            var line = Line.session()
            #expect(await store.stored(line.begin(key: .named("first"))) == "stored")
            #expect(await store.stored(line.next(key: .named("second"))) == "stored")
            #expect(await store.key("first", in: line.id).hasPrefix("200"))
            #expect(await store.key("second", in: line.id).hasPrefix("200"))
        }
    }

    @Test("of each commit of a group is found", arguments: StoreKind.all)
    func group(_ kind: StoreKind) async throws {
        try await kind.withStore { store, _ in
            var line = Line.session()
            let commits = [line.begin()] + (1...20).map { line.next("\($0)", key: .named("key \($0)", body: "\($0)")) }
            _ = await store.stored(commits)
            for number in 1...20 {
                #expect(await store.key("key \(number)", in: line.id).hasPrefix("200, \(number),"))
            }
        }
    }

    @Test("belongs to its entity alone", arguments: StoreKind.all)
    func entity(_ kind: StoreKind) async throws {
        try await kind.withStore { store, _ in
            var (one, other) = (Line.session("one"), Line.session("other"))
            _ = await one.commit(to: store)
            _ = await other.commit(to: store)
            _ = await store.stored(one.next("a", key: .named("key", body: "of one")))
            #expect(await store.key("key", in: other.id) == "missing of 0")
            _ = await store.stored(other.next("a", key: .named("key", body: "of the other")))
            #expect(await store.key("key", in: one.id).hasPrefix("200, of one,"))
        }
    }

    @Test("is found until its window has passed, and may then be used again", arguments: StoreKind.all)
    func window(_ kind: StoreKind) async throws {
        try await kind.withStore { store, bench in
            var line = Line.session()
            _ = await line.commit(to: store)
            _ = await store.stored(line.next("a", key: .named("key", body: "first")))
            try await bench.pass(.seconds(590))
            #expect(await store.key("key", in: line.id).hasPrefix("200, first,"))
            try await bench.pass(.seconds(10))
            // It does not count, though housekeeping has not deleted it.
            #expect(await store.key("key", in: line.id) == "missing of 0")
            #expect(await store.stored(line.next("b", key: .named("key", body: "second"))) == "stored")
            #expect(await store.key("key", in: line.id).hasPrefix("200, second,"))
        }
    }

    @Test("is deleted by housekeeping once its window has passed", arguments: StoreKind.all)
    func housekeeping(_ kind: StoreKind) async throws {
        try await kind.withStore { store, bench in
            var line = Line(.publicSession)
            _ = await store.stored(line.begin(key: .named("old")))
            try await bench.pass(.seconds(300))
            _ = await store.stored(line.next("a", key: .named("new")))
            try await bench.pass(.seconds(300))
            #expect(await store.expired() == [])
            #expect(await store.key("old", in: line.id) == "missing of 1")
            #expect(await store.key("new", in: line.id).hasPrefix("200"))
        }
    }

    @Test("is deleted in batches, and the store says that it has more", arguments: StoreKind.all)
    func batches(_ kind: StoreKind) async throws {
        try await kind.withStore { store, bench in
            for name in ["one", "two", "three"] {
                var line = Line.session(name)
                _ = await store.stored(line.begin(key: .named("old")))
            }
            try await bench.pass(.seconds(600))
            // PostgreSQL's store may have written a key of its own, to find out whether commits work.
            var count = 0
            while await store.mayExpireMore(limit: 2) { count += 1 }
            #expect((1...2).contains(count))
        }
    }

    @Test("is found after a restart", arguments: StoreKind.lasting)
    func restart(_ kind: StoreKind) async throws {
        try await kind.withBench { bench in
            var line = Line.session()
            let store = try await bench.open()
            _ = await line.commit(to: store)
            _ = await store.stored(line.next("a", key: .named("key")))
            await store.closed()
            let again = try await bench.open()
            #expect(await again.key("key", in: line.id) == "200, body, 7.abc, request of key")
            #expect(await again.row(of: line.id) == line.row)
            #expect(await line.commit("b", to: again) == ["stored"])
            await again.closed()
        }
    }
}
