import CPostgres
import Glibc
import Sessions

/// One connection to the database (https://www.postgresql.org/docs/15/libpq.html); used by the thread that opened it.
///
/// A statement is sent, and its answer waited for no longer than a deadline says: libpq's own calls would wait for ever.
final class Connection {
    /// What the server holds, as it was when ``readStanding(_:within:)`` asked.
    private(set) var standing: Standing?
    /// Which of the server's processes answered then.
    private var process: Int64?
    private let suspicion: PoolerSuspicion?
    /// How many suspicions there had been when it was made.
    private let suspicions: Int
    /// Statements whose preparation was asked for, answered or not.
    private var asked: Set<String> = []
    private let handle: OpaquePointer
    private let notices: Notices
    private let mark = String(UInt64.random(in: 0...UInt64.max), radix: 36)
    private var prepared: Set<String> = []
    /// Whether a statement was sent whose answer has not come.
    private(set) var isWaiting = false

    /// Connects; takes as long as `connect_timeout` says for each host, and no longer than a time from then on.
    ///
    /// - Parameters:
    ///   - commands: what is said first, such as settings of the session.
    ///   - suspicion: told of what only a pooler by transactions does.
    init(
        _ target: Target, commands: String, within time: Duration = .seconds(2), _ suspicion: PoolerSuspicion? = nil
    ) throws(PostgresFailure) {
        self.suspicion = suspicion
        suspicions = suspicion?.latest ?? 0
        handle = target.connect()
        notices = Notices(of: handle)
        // Where it fails from here on, all that it has is set, and `deinit` closes it.
        guard PQstatus(handle) == CONNECTION_OK else {
            throw PostgresFailure(.notConnected, message: String(cString: PQerrorMessage(handle)))
        }
        guard PQsetnonblocking(handle, 1) == 0 else { throw Self.lost(handle) }
        do throws(PostgresFailure) {
            try execute(commands, within: time)
        } catch {
            guard error.kind == .timedOut else { throw error }
            throw PostgresFailure(
                .notConnected,
                message:
                    "the connection was taken, and no answer came: a pooler whose pool is full, or a server that stands still"
            )
        }
    }

    deinit { PQfinish(handle) }

    /// The descriptor of its socket, to be polled; another after no call but a new connection's.
    var socket: Int32 { PQsocket(handle) }

    /// Which of the URI's hosts it is to: a name and a port, or a socket's directory and a port.
    var host: String { "\(String(cString: PQhost(handle))):\(String(cString: PQport(handle)))" }

    /// Whether the server has not hung up since the last answer: asked before something is sent, so that a connection that
    /// was idle when it was cut leaves nobody in doubt.
    ///
    /// A server that ends a connection says so first, and libpq reads that and reports success: only the next look finds the end.
    var isAlive: Bool {
        var events = pollfd(fd: socket, events: Int16(POLLIN), revents: 0)
        while poll(&events, 1, 0) != 0 {
            guard PQconsumeInput(handle) == 1, PQstatus(handle) == CONNECTION_OK else { return false }
        }
        return true
    }

    /// Asks what the server holds: once, when the tables are there.
    func readStanding(_ statement: PreparedStatement, within time: Duration) throws(PostgresFailure) -> Standing {
        let answer = try run(statement, [], within: time)
        let standing = Standing(answer)
        (self.standing, process) = (standing, answer.integer(0, 3))
        return standing
    }

    /// Sees to it that the server's process that answered is the one that this connection was given.
    ///
    /// - Throws: ``PostgresFailure/Kind/lost``: what was asked for is done, and settings may have been another's.
    func checkProcess(_ answered: Int64) throws(PostgresFailure) {
        guard answered != process else { return }
        suspicion?.note(after: suspicions)
        throw PostgresFailure(.lost, message: PoolerCheck.complaint)
    }

    /// Whether nothing has spoken for a pooler by transactions since it was made.
    var isUnsuspected: Bool { suspicions == suspicion?.latest ?? 0 }

    /// Runs statements without parameters.
    ///
    /// - Throws: as ``run(_:_:within:)`` does.
    func execute(_ commands: String, within time: Duration = .seconds(5)) throws(PostgresFailure) {
        let deadline = ContinuousClock.now + time
        guard PQsendQuery(handle, commands) == 1 else { throw lost() }
        _ = try answer(by: deadline)
    }

    /// Runs a question once, without preparing it and without parameters.
    ///
    /// - Throws: as ``run(_:_:within:)`` does.
    func ask(_ question: String, within time: Duration = .seconds(5)) throws(PostgresFailure) -> Answer {
        let deadline = ContinuousClock.now + time
        guard PQsendQueryParams(handle, question, 0, nil, nil, nil, nil, 1) == 1 else { throw lost() }
        return try answer(by: deadline)
    }

    /// Runs a statement, and prepares it where that was not done yet.
    ///
    /// - Throws: ``PostgresFailure/Kind/lost`` where the connection breaks, after which nothing can be done with it;
    ///   ``PostgresFailure/Kind/timedOut`` where no answer came: it may still come (``waitForAnswer(upTo:)``).
    func run(
        _ statement: PreparedStatement, _ parameters: [Parameter], within time: Duration
    ) throws(PostgresFailure) -> Answer {
        do throws(PostgresFailure) {
            return try perform(statement, parameters, within: time)
        } catch {
            if error.isOfPooler { suspicion?.note(after: suspicions) }
            throw error
        }
    }

    private func perform(
        _ statement: PreparedStatement, _ parameters: [Parameter], within time: Duration
    ) throws(PostgresFailure) -> Answer {
        let deadline = ContinuousClock.now + time
        let name = nameHere(of: statement)
        if !prepared.contains(statement.name) {
            let isFirst = asked.insert(statement.name).inserted
            guard PQsendPrepare(handle, name, statement.text, 0, nil) == 1 else { throw lost() }
            // Takes locks of tables, and may be refused for want of one.
            do throws(PostgresFailure) {
                _ = try answer(by: deadline)
            } catch {
                // Prepared by a try that was given up before the answer came.
                guard error.state == "42P05", !isFirst else { throw error }
            }
            prepared.insert(statement.name)
        }
        notices.isDoubtful = false
        guard send(name, parameters) else { throw lost() }
        let answer = try answer(by: deadline)
        if notices.isDoubtful { throw PostgresFailure(.doubtful, message: notices.text) }
        return answer
    }

    /// What a statement is called on this connection, and on no other: where a pooler hands it to another process of the server,
    /// there is none of that name, instead of one that looks in another program's tables.
    private func nameHere(of statement: PreparedStatement) -> String { "\(statement.name)_\(mark)" }

    /// Waits for an answer that did not come in time.
    ///
    /// - Returns: whether the connection can be used again.
    /// - Throws: ``PostgresFailure/Kind/lost``.
    func waitForAnswer(upTo time: Duration) throws(PostgresFailure) -> Bool {
        do throws(PostgresFailure) {
            _ = try answer(by: .now + time)
        } catch {
            switch error.kind {
            case .timedOut: return false
            case .lost, .notConnected: throw error
            // Whatever it says: those who asked have been told that nobody knows.
            case .refused, .doubtful, .unreadable: break
            }
        }
        return true
    }

    /// What other connections have told by NOTIFY since the last look, but for this one.
    ///
    /// - Throws: ``PostgresFailure/Kind/lost``.
    func takeNotifications() throws(PostgresFailure) -> [String] {
        guard PQconsumeInput(handle) == 1 else { throw lost() }
        var payloads: [String] = []
        while let notification = PQnotifies(handle) {
            if notification.pointee.be_pid != PQbackendPID(handle) {
                payloads.append(String(cString: notification.pointee.extra))
            }
            PQfreemem(notification)
        }
        return payloads
    }

    private func send(_ name: String, _ parameters: [Parameter]) -> Bool {
        var values: [UnsafePointer<CChar>?] = []
        var lengths: [Int32] = []
        // One buffer for all: pointers into it stay good while it is not changed. None is at nil, which would be NULL.
        var bytes: [CChar] = [0]
        var starts: [Int?] = []
        for parameter in parameters {
            starts.append(parameter.bytes == nil ? nil : bytes.count)
            lengths.append(Int32(parameter.bytes?.count ?? 0))
            bytes.append(contentsOf: (parameter.bytes ?? []).lazy.map { CChar(bitPattern: $0) })
            bytes.append(0)
        }
        return bytes.withUnsafeBufferPointer { buffer in
            values = starts.map { start in start.flatMap { start in buffer.baseAddress.map { $0 + start } } }
            let formats = [Int32](repeating: 1, count: parameters.count)
            return PQsendQueryPrepared(handle, name, Int32(parameters.count), values, lengths, formats, 1) == 1
        }
    }

    private func answer(by deadline: ContinuousClock.Instant) throws(PostgresFailure) -> Answer {
        isWaiting = true
        var latest: Answer?
        var failure: PostgresFailure?
        while true {
            try receive(by: deadline)
            guard let result = PQgetResult(handle) else { break }
            let answer = Answer(result)
            if let error = answer.failure { failure = error } else { latest = answer }
        }
        isWaiting = false
        if PQstatus(handle) != CONNECTION_OK { throw lost() }
        if let failure { throw failure }
        guard let latest else { throw lost() }
        return latest
    }

    /// Returns when the next part of an answer is there.
    private func receive(by deadline: ContinuousClock.Instant) throws(PostgresFailure) {
        while true {
            let unsent = PQflush(handle)
            guard unsent >= 0 else { throw lost() }
            if unsent == 0, PQisBusy(handle) == 0 { return }
            let left = deadline - .now
            guard left > .zero else { throw PostgresFailure(.timedOut, message: "no answer in time") }
            var events = pollfd(fd: socket, events: Int16(POLLIN) | (unsent > 0 ? Int16(POLLOUT) : 0), revents: 0)
            let ready = poll(&events, 1, Int32(clamping: Int(left / .milliseconds(1)) + 1))
            if ready < 0, errno != EINTR { throw lost() }
            guard PQconsumeInput(handle) == 1 else { throw lost() }
        }
    }

    private func lost() -> PostgresFailure { Self.lost(handle) }

    private static func lost(_ handle: OpaquePointer) -> PostgresFailure {
        PostgresFailure(.lost, message: String(cString: PQerrorMessage(handle)))
    }
}

/// A statement that a connection prepares when it first runs it.
struct PreparedStatement: Sendable {
    let name: String
    let text: String

    init(_ name: String, _ text: String) {
        self.name = name
        self.text = text
    }
}

/// Whether the server gave a warning that puts a commit in doubt.
///
/// `pg_cancel_backend()` ends a wait for the synchronous standby: the commit is then reported as done, with a warning that it
/// may not have been replicated (`SyncRepWaitForLSN` in the server's syncrep.c). It is not safe, and nobody is to be told so.
private final class Notices {
    var isDoubtful = false
    var text = ""

    init(of handle: OpaquePointer) {
        // The connection is closed before this goes: whoever owns the one owns the other.
        PQsetNoticeReceiver(
            handle,
            { context, result in
                guard let context else { return }
                Unmanaged<Notices>.fromOpaque(context).takeUnretainedValue().note(result)
            }, Unmanaged.passUnretained(self).toOpaque())
    }

    private func note(_ result: OpaquePointer?) {
        guard let state = PQresultErrorField(result, Int32(UInt8(ascii: "C"))), String(cString: state) == "01000",
            let message = PQresultErrorField(result, Int32(UInt8(ascii: "M")))
        else { return }
        isDoubtful = true
        text = String(cString: message)
    }
}
