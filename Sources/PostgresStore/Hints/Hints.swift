import CPostgres
import Glibc
import Locking
import Sessions
import StoreParts

/// Tells other replicas of commits, and is told of theirs: a thread with a connection of its own.
///
/// Never inside a commit: NOTIFY takes a lock that all who use it wait for. The first is told at once, and what comes in the
/// few milliseconds after it is gathered. It is no more than a hint: where one is lost, the session is looked at within a
/// second.
final class Hints: Sendable {
    let watches = Watches()
    private let mailbox: Mailbox
    private let hasEnded = Latch()

    /// Connects, and listens.
    ///
    /// - Parameters:
    ///   - look: asks at which versions sessions stand, and tells; from the thread of the hints, which must not be blocked.
    ///   - beat: keeps up the leases; from the same.
    /// - Throws: ``PostgresStoreError``.
    init(
        _ database: Database, _ watchdog: StoreWatchdog, look: @escaping @Sendable ([SessionID], Watches) -> Void,
        beat: @escaping @Sendable () -> Void
    ) throws(PostgresStoreError) {
        let health = watchdog.health(of: "hints")
        let mailbox = Mailbox()
        self.mailbox = mailbox
        try Worker<PostgresStoreError>.start(named: "postgres-hints") { [watches, hasEnded] beginning in
            do throws(PostgresFailure) {
                let connection = try HintsLoop.connect(database)
                beginning.report(.success(()))
                HintsLoop(database, consume connection, health, mailbox, watches, look, beat).run()
            } catch {
                beginning.report(.failure(PostgresStoreError(database.target, error)))
            }
            hasEnded.open()
        }
    }

    deinit { mailbox.close() }

    /// Tells those who watch the session here at once, and the other replicas within milliseconds.
    func tell(_ id: SessionID, _ version: CommitVersion?) {
        watches.tell(id, version)
        mailbox.put(Hint(id: id, version: version))
    }

    /// Has something done when the connection is lost and cannot be made at once: this thread waits for its socket, and sees the
    /// end of a server before those who sleep until they are asked for something.
    func whenLost(_ lost: @escaping @Sendable () -> Void) { mailbox.lost.withLock { $0 = lost } }

    /// Disconnects.
    func close() async {
        mailbox.close()
        await hasEnded.wait()
    }
}

/// What is to be told, and a descriptor by which the thread that tells is woken.
private final class Mailbox: Sendable {
    private struct State {
        var hints: [SessionID: CommitVersion?] = [:]
        var isClosed = false
    }

    private let state = Lock(State())
    /// What is to be done when the connection is lost.
    let lost = Lock<(@Sendable () -> Void)?>(nil)
    /// An eventfd(2), which poll(2) can wait for beside a socket.
    let bell: Int32

    init() {
        bell = eventfd(0, Int32(EFD_CLOEXEC | EFD_NONBLOCK))
        precondition(bell >= 0, "there is no descriptor for a store's hints: \(String(cString: strerror(errno)))")
    }

    deinit { Glibc.close(bell) }

    /// Of hints of one session the latest counts.
    func put(_ hint: Hint) {
        let isFirst = state.withLock { state in
            defer { state.hints[hint.id] = .some(hint.version) }
            return state.hints.isEmpty
        }
        if isFirst { ring() }
    }

    func close() {
        state.withLock { $0.isClosed = true }
        ring()
    }

    var isClosed: Bool { state.withLock { $0.isClosed } }

    func takeAll() -> [Hint] {
        state.withLock { state in
            defer { state.hints = [:] }
            return state.hints.map { Hint(id: $0.key, version: $0.value) }
        }
    }

    private func ring() { _ = eventfd_write(bell, 1) }

    /// Makes the bell silent again.
    func quiet() {
        var count: eventfd_t = 0
        _ = eventfd_read(bell, &count)
    }
}

/// What the thread of the hints does.
private final class HintsLoop {
    private let database: Database
    private let health: StoreHealth
    private let mailbox: Mailbox
    private let watches: Watches
    private let look: ([SessionID], Watches) -> Void
    private let beat: () -> Void
    private var connection: Connection? {
        didSet {
            guard oldValue != nil, connection == nil else { return }
            database.counts.noteLoss()
            isLossTold = false
        }
    }
    private var isLossTold = false
    private var nextLook = ContinuousClock.now
    private var nextAsking = ContinuousClock.now
    private var isToTell = false
    /// From when on others may be told again.
    private var nextTelling = ContinuousClock.now

    init(
        _ database: Database, _ connection: Connection, _ health: StoreHealth, _ mailbox: Mailbox,
        _ watches: Watches, _ look: @escaping ([SessionID], Watches) -> Void, _ beat: @escaping () -> Void
    ) {
        (self.database, self.connection, self.health, self.mailbox) = (database, connection, health, mailbox)
        (self.watches, self.look, self.beat) = (watches, look, beat)
    }

    static func connect(_ database: Database) throws(PostgresFailure) -> Connection {
        let connection = try database.connect(isToLast: false)
        do throws(PostgresFailure) {
            try listen(connection, database)
            return connection
        } catch {
            database.counts.noteLoss()
            throw error
        }
    }

    private static func listen(_ connection: Connection, _ database: Database) throws(PostgresFailure) {
        try connection.execute("LISTEN \(channel(of: database))")
    }

    private static func channel(of database: Database) -> String { database.settings.schema.quoted }

    func run() {
        while !mailbox.isClosed {
            if connection == nil {
                do throws(PostgresFailure) {
                    connection = try Self.connect(database)
                    health.noteSuccess()
                } catch {
                    health.noteFailure(error.explanation)
                    if !isLossTold { mailbox.lost.withLock { $0 }?() }
                    isLossTold = true
                }
                // What was told while nobody listened.
                nextLook = .now
            }
            if nextLook <= .now {
                nextLook = .now + database.settings.lookInterval
                beat()
                let ids = watches.ids
                if !ids.isEmpty { look(ids, watches) }
            }
            guard let connection, database.isCurrent(connection) else {
                connection = nil
                // The others look by themselves.
                _ = mailbox.takeAll()
                Pause.wait(database.settings.patience)
                continue
            }
            do throws(PostgresFailure) {
                waitForWork(connection.socket)
                if nextAsking <= .now {
                    nextAsking = .now + database.settings.askInterval
                    try database.look(connection)
                }
                if isToTell, nextTelling <= .now { try send(over: connection) }
                for payload in try connection.takeNotifications() {
                    for hint in Hint.all(in: payload) {
                        database.counts.noteHeard()
                        watches.tell(hint.id, hint.version)
                    }
                }
            } catch {
                self.connection = nil
            }
        }
    }

    /// Waits for hints of others, for one of our own, or until something is due.
    private func waitForWork(_ socket: Int32) {
        var events = [
            pollfd(fd: socket, events: Int16(POLLIN), revents: 0),
            // Where something is to be told already, poll(2) passes it over.
            pollfd(fd: isToTell ? -1 : mailbox.bell, events: Int16(POLLIN), revents: 0),
        ]
        let left = max(.zero, (isToTell ? min(nextLook, nextTelling) : nextLook) - .now)
        let patience = Int32(clamping: Int(left / .milliseconds(1)) + 1)
        guard poll(&events, 2, patience) > 0, events[1].revents != 0 else { return }
        mailbox.quiet()
        isToTell = true
    }

    private func send(over connection: Connection) throws(PostgresFailure) {
        isToTell = false
        nextTelling = .now + database.settings.hintInterval
        let hints = mailbox.takeAll()
        guard !hints.isEmpty else { return }
        let payloads = Hint.payloads(hints)
        _ = try connection.run(
            database.statements.notify,
            [.bytes(Array(database.settings.schema.rawValue.utf8)), .texts(payloads)],
            within: database.settings.statementTimeout)
        database.counts.noteTold(hints.count)
    }
}
