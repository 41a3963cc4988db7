import Entities
import TestSupport
import Testing

/// Protects that a store keeps what it acknowledges, and refuses what builds on another base.
@Suite("A commit")
struct CommitTests {
    @Test("is loaded as it was submitted, with ring, language and all parts", arguments: StoreKind.all)
    func row(_ kind: StoreKind) async throws {
        try await kind.withStore { store, _ in
            var line = Line.session()
            #expect(await line.commit("a", "b", to: store) == ["stored", "stored", "stored"])
            #expect(await store.stored(line.next("c", in: "title")) == "stored")
            let row = try #require(await store.row(of: line.id))
            #expect(row == line.row)
            #expect(row.ring.count == 4)
            #expect(row.language == "ja")
            #expect(row.parts.map(\.version) == [3, 3])
        }
    }

    @Test("is stored before its callback, and is loaded there", arguments: StoreKind.all)
    func before(_ kind: StoreKind) async throws {
        try await kind.withStore { store, _ in
            var line = Line.session()
            let (commit, id) = (line.begin(), line.id)
            let loaded = await withCheckedContinuation { continuation in
                store.submit(commit) { _ in store.load(id) { continuation.resume(returning: $0) } }
            }
            guard case .found(let row) = loaded else { throw Failed() }
            #expect(row == line.row)
        }
    }

    @Test("on another base conflicts, and changes nothing", arguments: StoreKind.all)
    func conflict(_ kind: StoreKind) async throws {
        try await kind.withStore { store, _ in
            var line = Line.session()
            _ = await line.commit("a", to: store)
            var other = line
            _ = await line.commit("b", to: store)
            #expect(await store.stored(other.next("c")) == "conflict")
            #expect(await store.row(of: line.id) == line.row)
        }
    }

    @Test("without a base conflicts if the entity exists, and with one if it does not", arguments: StoreKind.all)
    func existence(_ kind: StoreKind) async throws {
        try await kind.withStore { store, _ in
            var line = Line.session()
            _ = await line.commit("a", to: store)
            var other = Line.session()
            #expect(await store.stored(other.begin()) == "conflict")
            var missing = Line.session("missing")
            #expect(await store.stored(missing.next("a")) == "conflict")
            #expect(await store.row(of: missing.id) == nil)
            #expect(await store.row(of: line.id) == line.row)
        }
    }

    @Test("builds on one that is under way", arguments: StoreKind.all)
    func pipelined(_ kind: StoreKind) async throws {
        try await kind.withStore { store, _ in
            var line = Line.session()
            let commits = [line.begin()] + (1...50).map { line.next("\($0)") }
            #expect(await store.stored(commits) == Array(repeating: "stored", count: 51))
            #expect(await store.row(of: line.id) == line.row)
        }
    }

    @Test("whose predecessor failed is not stored", arguments: StoreKind.all)
    func predecessor(_ kind: StoreKind) async throws {
        try await kind.withStore { store, _ in
            var line = Line.session()
            _ = await line.commit("a", to: store)
            var other = line
            _ = await line.commit("b", to: store)
            let fallen = [other.next("c"), other.next("d", key: .named("key")), other.next("e")]
            #expect(await store.stored(fallen) == ["conflict", "conflict", "conflict"])
            #expect(await store.row(of: line.id) == line.row)
            #expect(await store.key("key", in: line.id) == "missing of 0")
        }
    }

    @Test("wins against another on the same base, and only one of them", arguments: StoreKind.all)
    func race(_ kind: StoreKind) async throws {
        try await kind.withStore { store, _ in
            var line = Line.session()
            _ = await line.commit("a", to: store)
            var other = line
            let commits = [line.next("b"), other.next("c"), line.next("d"), other.next("e")]
            let results = await store.stored(commits)
            #expect(results == ["stored", "conflict", "stored", "conflict"])
            #expect(await store.row(of: line.id) == line.row)
        }
    }

    @Test("of each of many entities is stored, whatever the others do", arguments: StoreKind.all)
    func many(_ kind: StoreKind) async throws {
        try await kind.withStore { store, _ in
            let lines = await withTaskGroup(of: (Line, [String]).self) { group in
                for number in 0..<100 {
                    group.addTask {
                        var line = Line.session("session \(number)")
                        return (line, await line.commit("a", "b", "c", to: store))
                    }
                }
                return await group.reduce(into: []) { $0.append($1) }
            }
            #expect(lines.allSatisfy { $0.1 == ["stored", "stored", "stored", "stored"] })
            for (line, _) in lines { #expect(await store.row(of: line.id)?.text() == "c") }
        }
    }

    @Test("is answered in the order of the calls", arguments: StoreKind.all)
    func order(_ kind: StoreKind) async throws {
        try await kind.withStore { store, _ in
            var line = Line.session()
            let words = History<String>()
            let commits = [line.begin(), line.next("a"), line.next("b")]
            await withCheckedContinuation { continuation in
                for (place, commit) in commits.enumerated() {
                    store.submit(commit) {
                        words.append("\(place) \($0)")
                        if place == 2 { continuation.resume() }
                    }
                }
            }
            #expect(words.all == ["0 stored", "1 stored", "2 stored"])
        }
    }

    @Test("of 1 MiB is stored", arguments: StoreKind.lasting)
    func large(_ kind: StoreKind) async throws {
        try await kind.withStore { store, _ in
            var line = Line.session()
            let mebibyte = String(repeating: "a", count: 1 << 20)
            #expect(await line.commit(mebibyte, to: store) == ["stored", "stored"])
            #expect(await store.row(of: line.id) == line.row)
        }
    }
}
