/// Values that wait for their delivery, first in, first out.
///
/// The first is kept inline: nearly always it is the only one, and then nothing is allocated.
@usableFromInline
struct PendingValues<Value> {
    @usableFromInline var first: Value?
    @usableFromInline var later: [Value] = []
    @usableFromInline var head = 0

    @inlinable
    init() {}

    @inlinable
    mutating func append(_ value: Value) {
        if first == nil { first = value } else { later.append(value) }
    }

    @inlinable
    mutating func popFirst() -> Value? {
        guard let value = first else { return nil }
        guard head < later.count else {
            first = nil
            later = []
            head = 0
            return value
        }
        first = later[head]
        head += 1
        return value
    }
}
