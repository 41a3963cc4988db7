import Entities
import Foundation
import TestSupport
import Testing

/// Protects that an ended session is gone from each store.
@Suite("An entity")
struct LifeTests {
    @Test("has the stamp of its last commit as head", arguments: StoreKind.all)
    func head(_ kind: StoreKind) async throws {
        try await kind.withStore { store, _ in
            var line = Line.session()
            #expect(await store.head(of: line.id) == .missing)
            _ = await line.commit("a", "b", to: store)
            #expect(await store.head(of: line.id) == .found(line.state.head))
        }
    }

    @Test("ends with its keys, and is gone", arguments: StoreKind.all)
    func end(_ kind: StoreKind) async throws {
        try await kind.withStore { store, _ in
            var line = Line.session()
            _ = await line.commit(to: store)
            _ = await store.stored(line.next("a", key: .named("key")))
            #expect(await store.stored(line.end()) == "stored")
            #expect(await store.row(of: line.id) == nil)
            #expect(await store.key("key", in: line.id) == "missing of 0")
            #expect(await store.stored(line.next("b")) == "conflict")
        }
    }

    @Test("ends only at the stamp that an action saw", arguments: StoreKind.all)
    func endsAtBase(_ kind: StoreKind) async throws {
        try await kind.withStore { store, _ in
            var line = Line(EntityID(kind: "orders", text: "orders/7f3c"))
            _ = await store.stored(line.begin(key: .named("key")))
            let old = line.end()
            _ = await store.stored(line.next("a"))
            #expect(await store.stored(old) == "conflict")
            #expect(await store.row(of: line.id) == line.row)
            #expect(await store.key("key", in: line.id).contains("request of key"))
            #expect(await store.stored(line.end()) == "stored")
            #expect(await store.row(of: line.id) == nil)
            #expect(await store.key("key", in: line.id) == "missing of 0")
            #expect(await store.stored(line.end()) == "conflict")
        }
    }

    @Test("is found by its user", arguments: StoreKind.all)
    func users(_ kind: StoreKind) async throws {
        try await kind.withStore { store, clock in
            for (name, user) in [("a", "ann"), ("b", "bob"), ("c", "ann")] {
                let user = User(user, roles: ["staff"], expires: Date(timeIntervalSince1970: 9))
                let state = EntityState.new(Texts.initial, user: user)
                #expect(await store.stored(Commit(id: .session(name), base: nil, state: state)) == "stored")
            }
            #expect(Set(await store.sessions(of: "ann")) == ["a", "c"])
            #expect(await store.sessions(of: "nobody") == [])
            let row = try #require(await store.row(of: .session("a")))
            let session = Line(row)
            let user = try #require(session.state.user)
            #expect(user.id == "ann" && user.roles == ["staff"] && user.expires == Date(timeIntervalSince1970: 9))
            _ = await store.stored(session.end())
            #expect(await store.sessions(of: "ann") == ["c"])
        }
    }

    @Test("that begins after an end has none of the old keys", arguments: StoreKind.all)
    func beginsAgain(_ kind: StoreKind) async throws {
        try await kind.withStore { store, _ in
            var line = Line.session()
            _ = await store.stored(line.begin(key: .named("key")))
            _ = await store.stored(line.end())
            var new = Line.session()
            #expect(await store.stored(new.begin()) == "stored")
            #expect(await store.key("key", in: new.id) == "missing of 0")
        }
    }

    @Test("ends after the commits before it, and before those after it", arguments: StoreKind.all)
    func endInOrder(_ kind: StoreKind) async throws {
        try await kind.withStore { store, _ in
            var line = Line.session()
            let (words, id) = (History<String>(), line.id)
            var new = Line.session()
            await withCheckedContinuation { continuation in
                store.submit(line.begin()) { words.append("\($0)") }
                store.submit(line.end()) { words.append("\($0)") }
                store.submit(line.next("a")) { words.append("\($0)") }
                store.submit(new.begin()) {
                    words.append("\($0)")
                    continuation.resume()
                }
            }
            #expect(words.all == ["stored", "stored", "conflict", "stored"])
            #expect(await store.row(of: id) == new.row)
        }
    }
}

/// Protects sessions in use, and nothing else, from the time to live.
@Suite("Expiry")
struct ExpiryTests {
    @Test("deletes a session with its keys that nobody has used for the time to live", arguments: StoreKind.all)
    func unused(_ kind: StoreKind) async throws {
        try await kind.withStore { store, bench in
            var line = Line.session("old")
            _ = await store.stored(line.begin(key: .named("key")))
            try await bench.pass(.seconds(100))
            var young = Line.session("young")
            _ = await young.commit(to: store)
            try await bench.pass(.seconds(700))
            #expect(await store.expired() == [])
            try await bench.pass(.seconds(100))
            #expect(await store.expired() == ["old"])
            #expect(await store.row(of: line.id) == nil)
            #expect(await store.key("key", in: line.id) == "missing of 0")
            #expect(await store.row(of: young.id) == young.row)
        }
    }

    @Test("leaves a session that was touched", arguments: StoreKind.all)
    func touched(_ kind: StoreKind) async throws {
        try await kind.withStore { store, bench in
            var (one, other) = (Line.session("one"), Line.session("other"))
            _ = await one.commit(to: store)
            _ = await other.commit(to: store)
            try await bench.pass(.seconds(600))
            store.touch([one.id, .session("nobody")])
            try await bench.pass(.seconds(600))
            #expect(await store.expired() == ["other"])
            try await bench.pass(.seconds(300))
            #expect(await store.expired() == ["one"])
        }
    }

    @Test("leaves the public session and named entities", arguments: StoreKind.all)
    func others(_ kind: StoreKind) async throws {
        try await kind.withStore { store, bench in
            var (line, order) = (Line(.publicSession), Line(EntityID(kind: "orders", text: "orders/7f3c")))
            _ = await line.commit("a", to: store)
            _ = await order.commit("a", to: store)
            try await bench.pass(.seconds(1_000_000))
            #expect(await store.expired() == [])
            #expect(await store.row(of: line.id) == line.row)
            #expect(await store.row(of: order.id) == order.row)
        }
    }

    @Test("deletes at most as many as the limit", arguments: StoreKind.all)
    func limit(_ kind: StoreKind) async throws {
        try await kind.withStore { store, bench in
            let commits = (0..<150).map { number in
                var line = Line.session("\(number)")
                return line.begin()
            }
            _ = await store.stored(commits)
            try await bench.pass(.seconds(900))
            #expect(await store.expired(limit: 100).count == 100)
            #expect(await store.expired(limit: 100).count == 50)
            #expect(await store.expired(limit: 100).count == 0)
        }
    }
}

/// Protects what was submitted when a server stops.
@Suite("A store")
struct CloseTests {
    @Test("that closes while it is busy answers and keeps what was submitted", arguments: StoreKind.all)
    func close(_ kind: StoreKind) async throws {
        try await kind.withBench { bench in
            let store = try await bench.open()
            let words = History<String>()
            var lines = (0..<20).map { Line.session("\($0)") }
            for place in lines.indices {
                store.submit(lines[place].begin()) { words.append("\($0)") }
                for text in ["a", "b"] { store.submit(lines[place].next(text)) { words.append("\($0)") } }
            }
            let last = lines[19].id
            store.load(last) { _ in words.append("loaded") }
            await store.closed()
            #expect(words.all.filter { $0 == "stored" }.count == 60)
            #expect(words.all.contains("loaded"))
            guard kind.isLasting else { return }
            let again = try await bench.open()
            for line in lines { #expect(await again.row(of: line.id) == line.row) }
            await again.closed()
        }
    }
}
