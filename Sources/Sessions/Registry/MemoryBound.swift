import CMalloc
internal import Events
import Glibc
import Locking
import Synchronization

/// The bound on the process's memory (``SessionLimits/memoryBytes``): how near the process is to it.
final class MemoryBound: Sendable {
    enum Standing: Sendable {
        case ample
        /// Within an eighth: sessions at rest are to leave.
        case near
        /// Whoever needs a session that is not in memory is refused.
        case reached
    }

    private enum Round: Sendable {
        case none
        case underWay
        /// The last one left the process near its bound. The next is left to housekeeping: one for each few arrivals would
        /// look through all sessions again and again.
        case inVain
    }

    /// Of how many sessions that came to memory one has the process looked at: rare enough that it costs nothing beside what
    /// brought them, and often enough that these few are little beside an eighth of the bound.
    static let arrivalsPerLook = 64

    /// In bytes.
    let limit: Int
    private let memory: ProcessMemory
    private let arrivals = Atomic(0)
    private let reached = Atomic(false)
    private let round = Lock(Round.none)

    init(limit: Int, memory: ProcessMemory) {
        precondition(memory.residentBytes() > 0, "A bound on memory needs /proc/self/statm.")
        self.limit = limit
        self.memory = memory
    }

    /// Whether the process had as much as it may when it was last looked at; costs nothing.
    var isReached: Bool { reached.load(ordering: .relaxed) }

    /// Notes that a session came to memory.
    ///
    /// - Returns: whether the process is to be looked at, as at the first.
    func noteArrival() -> Bool {
        arrivals.wrappingAdd(1, ordering: .relaxed).oldValue.isMultiple(of: Self.arrivalsPerLook)
    }

    /// Asks the kernel.
    func look() -> Standing {
        let bytes = memory.residentBytes()
        reached.store(bytes >= limit, ordering: .relaxed)
        return bytes >= limit ? .reached : bytes >= limit - limit / 8 ? .near : .ample
    }

    /// - Returns: false where a round is under way; where it is for an arrival, also after one in vain.
    func beginRound(forArrival isForArrival: Bool) -> Bool {
        round.withLock { round in
            switch round {
            case .underWay: return false
            case .inVain where isForArrival: return false
            case .none, .inVain: break
            }
            round = .underWay
            return true
        }
    }

    /// Gives back what is free.
    ///
    /// - Returns: how the process stands then.
    func giveBack() -> Standing {
        memory.giveBack()
        return look()
    }

    func endRound(_ standing: Standing) { round.withLock { $0 = standing == .ample ? .none : .inVain } }
}

/// What the process has of memory.
package struct ProcessMemory: Sendable {
    /// How many bytes are in RAM.
    package let residentBytes: @Sendable () -> Int
    /// Gives the kernel back what was freed.
    package let giveBack: @Sendable () -> Void

    package init(residentBytes: @escaping @Sendable () -> Int, giveBack: @escaping @Sendable () -> Void) {
        (self.residentBytes, self.giveBack) = (residentBytes, giveBack)
    }

    /// By the kernel's books (proc_pid_statm(5)) and malloc_trim(3).
    package static let system = ProcessMemory(residentBytes: { residentPages() * page }, giveBack: { malloc_trim(0) })

    private static let page = sysconf(Int32(_SC_PAGESIZE))
    /// Kept, so that it can be asked also where no descriptor is free.
    private static let file = open("/proc/self/statm", O_RDONLY | O_CLOEXEC)

    /// The second of the fields; 0 where it cannot be read.
    private static func residentPages() -> Int {
        withUnsafeTemporaryAllocation(byteCount: 256, alignment: 1) { buffer in
            let count = pread(file, buffer.baseAddress, buffer.count, 0)
            guard count > 0 else { return 0 }
            let fields = buffer.prefix(count).split(separator: UInt8(ascii: " "))
            return fields.count > 1 ? Int(String(decoding: fields[1], as: UTF8.self)) ?? 0 : 0
        }
    }
}

// How the process is kept below its bound of memory.

extension SessionRegistry {
    /// - Throws: ``SessionFailure/outOfMemory`` where no session may come to memory.
    func checkMemory() throws {
        if memory?.isReached == true { throw SessionFailure.outOfMemory }
    }

    /// Notes that a session came to memory; others leave it where that is needed.
    func noteArrival() {
        guard let memory, memory.noteArrival(), memory.look() != .ample else { return }
        // Not here: this may be an event loop, and somebody waits for the session.
        Task { await relieveMemory(forArrival: true) }
    }

    /// Lets sessions at rest leave memory, the longest unused first, where the process is near its bound: a quarter of them at
    /// a time, until it is near no more, or hardly any are left.
    ///
    /// - Parameter isForArrival: else for housekeeping.
    func relieveMemory(forArrival isForArrival: Bool = false) async {
        guard let memory, memory.look() != .ample, memory.beginRound(forArrival: isForArrival) else { return }
        var (count, standing) = (0, memory.look())
        repeat {
            count = await evictLongestUnused(standing)
            // Once for all of them: it takes an allocator's locks for as long as it gives back.
            standing = memory.giveBack()
        } while standing != .ample && count >= Self.batch
        memory.endRound(standing)
        guard standing == .reached else { return }
        environment.tell(
            Event(.boundReached, ["bound": "max-memory", "limit": .number(memory.limit)]), alike: "max-memory")
    }

    private func evictLongestUnused(_ standing: MemoryBound.Standing) async -> Int {
        let now = environment.now
        // Whoever has just found a session has to have the time to ask it.
        var atRest = environment.sessions.withLock { $0.all }
            .map { (session: $0, idleTime: $0.idleTime(at: now)) }
            .filter { $0.idleTime >= Self.leastRest }
            .sorted { $0.idleTime > $1.idleTime }
        // So few have hardly any of the memory: those that are asked now and then keep what their view models have under way.
        if standing == .near, atRest.count < 4 * Self.batch { atRest = atRest.filter { $0.idleTime >= .seconds(2) } }
        return await evict(
            atRest.prefix(max(Self.batch, atRest.count / 4)).map(\.session), ifIdleFor: Self.leastRest)
    }

    private static let leastRest = Duration.milliseconds(100)

    /// Keeps the process below its bound, for as long as the task lives: sessions are not all that grows.
    func keepMemoryBounded() async {
        guard memory != nil else { return }
        while (try? await environment.timer.sleep(for: .seconds(1))) != nil { await relieveMemory() }
    }
}
