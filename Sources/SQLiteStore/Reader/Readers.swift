import Dispatch
import Entities
import Foundation
import Locking
import StoreParts

/// A question for a reader, with its callback.
enum Read: Sendable {
    case load(EntityID, @Sendable (LoadResult) -> Void)
    case head(EntityID, @Sendable (HeadResult) -> Void)
    case lookUp(KeyDigest, EntityID, @Sendable (KeyResult) -> Void)

    var id: EntityID {
        switch self {
        case .load(let id, _), .head(let id, _), .lookUp(_, let id, _): id
        }
    }

    /// Answers that the store does not answer.
    func fail() {
        switch self {
        case .load(_, let done): done(.failed)
        case .head(_, let done): done(.failed)
        case .lookUp(_, _, let done): done(.failed)
        }
    }
}

/// The threads that read, each with a connection.
///
/// A reader never waits for the writer, nor the writer for a reader (https://sqlite.org/wal.html, section 2.2). One reader
/// takes all questions for an entity, so their answers come in their order.
final class Readers: Sendable {
    private let readers: [Reader]

    /// Opens the connections and starts the threads.
    init(_ path: String, _ settings: SQLiteStore.Settings) throws(SQLiteFailure) {
        var readers: [Reader] = []
        for _ in 0..<settings.readers { readers.append(try Reader(path, settings)) }
        self.readers = readers
        for reader in readers { reader.start() }
    }

    /// Asks a question.
    func add(_ read: Read) { readers[Int(UInt(bitPattern: read.id.hashValue) % UInt(readers.count))].add(read) }

    /// Answers the questions that were asked, and closes the connections.
    ///
    /// - Parameter closed: called on the thread that closes the last connection.
    func close(then closed: @escaping @Sendable () -> Void) {
        let open = Lock(readers.count)
        for reader in readers {
            reader.close {
                let isLast = open.withLock { open in
                    open -= 1
                    return open == 0
                }
                if isLast { closed() }
            }
        }
    }
}

/// A thread that reads, with its connection.
private final class Reader: Sendable {
    private struct Queue: Sendable {
        var reads: [Read] = []
        var isWaiting = false
        var closed: (@Sendable () -> Void)?
    }

    private let queue = Lock(Queue())
    private let wake = DispatchSemaphore(value: 0)
    /// The statements, used by the thread alone; nil once it is closed.
    private let statements: Lock<EntityReader?>
    private let settings: SQLiteStore.Settings
    private let health: StoreHealth

    init(_ path: String, _ settings: SQLiteStore.Settings) throws(SQLiteFailure) {
        self.settings = settings
        health = StoreHealth(now: settings.monotonic, tell: settings.tell)
        statements = Lock(try EntityReader(Connection(path, .read)))
    }

    func start() {
        let thread = Thread { [self] in run() }
        thread.name = "sqlite-reader"
        thread.start()
    }

    func add(_ read: Read) {
        change { queue in queue.reads.append(read) }
    }

    func close(then closed: @escaping @Sendable () -> Void) {
        change { queue in queue.closed = closed }
    }

    private func change(_ body: (inout Queue) -> Void) {
        let wakes = queue.withLock { queue in
            body(&queue)
            defer { queue.isWaiting = false }
            return queue.isWaiting
        }
        if wakes { wake.signal() }
    }

    private func run() {
        while true {
            let (reads, closed) = queue.withLock { queue in
                defer { queue.reads = [] }
                queue.isWaiting = queue.reads.isEmpty && queue.closed == nil
                return (queue.reads, queue.closed)
            }
            for read in reads { answer(read) }
            if reads.isEmpty, let closed {
                statements.withLock { $0 = nil }
                return closed()
            }
            if reads.isEmpty { wake.wait() }
        }
    }

    private func answer(_ read: Read) {
        health.begin()
        do throws(SQLiteFailure) {
            let call = try call(for: read)
            health.end(nil)
            call()
        } catch {
            health.end("reading failed: \(error.message)")
            read.fail()
        }
    }

    /// Reads, and returns the call that answers.
    private func call(for read: Read) throws(SQLiteFailure) -> @Sendable () -> Void {
        let now = settings.milliseconds
        return try statements.withLock { reader throws(SQLiteFailure) -> @Sendable () -> Void in
            guard let reader else { return read.fail }
            switch read {
            case .load(let id, let done):
                switch try reader.load(id) {
                case .entity(let entity): return { done(.found(entity)) }
                case .unreadable(let id):
                    return { [settings] in
                        settings.tell(.unreadable(id))
                        done(.failed)
                    }
                case nil: return { done(.missing) }
                }
            case .head(let id, let done):
                let result = try reader.head(of: id).map(HeadResult.at) ?? .missing
                return { done(result) }
            case .lookUp(let key, let id, let done):
                let result = try reader.lookUp(key, in: id, now: now)
                return { done(result) }
            }
        }
    }
}
