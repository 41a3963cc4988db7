import Binding
import Testing

/// Protects the pairs and the end of the operator.
@Suite("combineLatest", .timeLimit(.minutes(1)))
struct CombineLatestTests {
    @Test("a pair comes once both have one, and then with each new element")
    func pairs() async throws {
        let (id, password) = (Hand<String>(), Hand<String>())
        var iterator = combineLatest(id, password).makeAsyncIterator()
        id.yield("a")
        password.yield("x")
        #expect(try await iterator.next() ?? ("", "") == ("a", "x"))
        id.yield("b")
        #expect(try await iterator.next() ?? ("", "") == ("b", "x"))
        password.yield("y")
        #expect(try await iterator.next() ?? ("", "") == ("b", "y"))
    }

    @Test("it goes on with one when the other has ended, and ends with both")
    func ends() async throws {
        let (first, second) = (Hand<Int>(), Hand<Int>())
        var iterator = combineLatest(first, second).makeAsyncIterator()
        first.yield(1)
        second.yield(2)
        #expect(try await iterator.next() ?? (0, 0) == (1, 2))
        first.finish()
        second.yield(3)
        #expect(try await iterator.next() ?? (0, 0) == (1, 3))
        second.finish()
        #expect(try await iterator.next() == nil)
    }

    @Test("nil is an element as any other")
    func optionals() async {
        let all = await combineLatest([Int?.none].stream, [1].stream).collect()
        #expect(all.count == 1)
        #expect(all.first?.0 == .some(nil))
    }
}
