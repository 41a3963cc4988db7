import Sessions

/// Something that happens later, unless its replica dies first.
final class Event {
    let time: Int
    let number: Int
    let owner: Replica?
    var act: (() -> Void)?

    init(time: Int, number: Int, owner: Replica?, act: @escaping () -> Void) {
        self.time = time
        self.number = number
        self.owner = owner
        self.act = act
    }
}

/// What is to happen, the earliest first: a binary heap.
struct Timers {
    private var heap: [Event] = []

    var isEmpty: Bool { heap.isEmpty }
    var next: Event? { heap.first }

    mutating func add(_ event: Event) {
        heap.append(event)
        var place = heap.count - 1
        while place > 0, Self.isEarlier(heap[place], heap[(place - 1) / 2]) {
            heap.swapAt(place, (place - 1) / 2)
            place = (place - 1) / 2
        }
    }

    mutating func removeFirst() -> Event? {
        guard !heap.isEmpty else { return nil }
        heap.swapAt(0, heap.count - 1)
        let first = heap.removeLast()
        var place = 0
        while true {
            var least = place
            for child in [2 * place + 1, 2 * place + 2]
            where child < heap.count && Self.isEarlier(heap[child], heap[least]) { least = child }
            if least == place { return first }
            heap.swapAt(place, least)
            place = least
        }
    }

    private static func isEarlier(_ left: Event, _ right: Event) -> Bool {
        (left.time, left.number) < (right.time, right.number)
    }
}

/// The time as one replica has it: the world's, as long as it lives.
// Safe: the simulation has one thread.
final class ReplicaTimeline: Timeline, @unchecked Sendable {
    private final class Sleeper: @unchecked Sendable {
        var continuation: UnsafeContinuation<Void, any Error>?
        var event: Event?
    }

    private let world: World
    private unowned let replica: Replica

    init(of replica: Replica) {
        world = replica.world
        self.replica = replica
    }

    var now: Duration { .milliseconds(world.now) }
    var secondsSince1970: Int64 { World.firstSecond + Int64(world.now / 1000) }

    func sleep(for milliseconds: Int) async throws { try await sleep(to: world.now + milliseconds) }

    func sleep(until time: Duration) async throws {
        let (seconds, attoseconds) = time.components
        try await sleep(to: Int(seconds) * 1000 + Int((attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000))
    }

    private func sleep(to time: Int) async throws {
        let sleeper = Sleeper()
        try await withTaskCancellationHandler {
            try await withUnsafeThrowingContinuation { (continuation: UnsafeContinuation<Void, any Error>) in
                if Task.isCancelled || world.isOver { return continuation.resume(throwing: CancellationError()) }
                if time <= world.now { return continuation.resume() }
                sleeper.continuation = continuation
                sleeper.event = world.at(time, for: replica) { [world] in
                    guard let continuation = sleeper.continuation.take() else { return }
                    if world.isOver {
                        continuation.resume(throwing: CancellationError())
                    } else {
                        continuation.resume()
                    }
                }
            }
        } onCancel: {
            sleeper.event?.act = nil
            sleeper.continuation.take()?.resume(throwing: CancellationError())
        }
    }
}
