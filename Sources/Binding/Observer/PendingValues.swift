/// Values that wait for their delivery, first in, first out.
///
/// The first is kept inline: nearly always it is the only one, and then nothing is allocated.
/// It is used under a lock, so it releases no value: what is popped is moved out.
@usableFromInline
struct PendingValues<Value> {
    @usableFromInline var first: Value?
    /// Those after the first, from `head` on; nil where they were moved out.
    @usableFromInline var later: [Value?] = []
    @usableFromInline var head = 0

    @inlinable
    init() {}

    @inlinable
    mutating func append(_ value: Value) {
        if first == nil { first = value } else { later.append(value) }
    }

    @inlinable
    mutating func popFirst() -> Value? {
        guard let value = first.take() else { return nil }
        guard head < later.count else { return value }
        first = later[head].take()
        head += 1
        // A queue that is always behind must not keep the places of all that it has delivered.
        if head == later.count || head == 64 {
            later.removeFirst(head)
            head = 0
        }
        return value
    }
}
