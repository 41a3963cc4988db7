import CPostgres
import Glibc

/// One connection to the database (https://www.postgresql.org/docs/15/libpq.html), used by the thread that made it.
///
/// It sends a statement and waits for the answer until a deadline; libpq's own calls would wait for ever. It changes no
/// settings and prepares no statements, so it works through a transaction pooler.
final class Connection {
    private let handle: OpaquePointer
    private let notices: Notices

    /// Connects to the first host that takes writes.
    ///
    /// - Throws: ``PostgresFailure/Kind/notConnected``.
    init(_ target: Target) throws(PostgresFailure) {
        handle = target.connect()
        notices = Notices(of: handle)
        // After a failure from here on, all properties are set, and `deinit` closes the handle.
        guard PQstatus(handle) == CONNECTION_OK, PQsetnonblocking(handle, 1) == 0 else {
            throw PostgresFailure(.notConnected, message: String(cString: PQerrorMessage(handle)))
        }
    }

    deinit { PQfinish(handle) }

    /// The descriptor of the socket, for poll(2).
    var socket: Int32 { PQsocket(handle) }

    /// Whether the server has not hung up.
    ///
    /// Call it before each statement: if an idle connection was cut, the commit is refused, not unknown. A server sends a
    /// message before it ends a connection. libpq reads it and reports success; only the next read finds the end.
    var isAlive: Bool {
        var events = pollfd(fd: socket, events: Int16(POLLIN), revents: 0)
        while poll(&events, 1, 0) != 0 {
            guard PQconsumeInput(handle) == 1, PQstatus(handle) == CONNECTION_OK else { return false }
        }
        return true
    }

    /// Runs statements without parameters; the server does all of them in one transaction.
    ///
    /// - Throws: as ``run(_:within:_:)`` does.
    func execute(_ commands: String, within time: Duration) throws(PostgresFailure) {
        let deadline = ContinuousClock.now + time
        guard PQsendQuery(handle, commands) == 1 else { throw lost() }
        _ = try answer(by: deadline)
    }

    /// Runs an unnamed statement.
    ///
    /// - Parameter fill: adds the parameters.
    /// - Throws: ``PostgresFailure``. After ``PostgresFailure/Kind/lost`` and ``PostgresFailure/Kind/timedOut`` drop the
    ///   connection.
    func run(
        _ statement: String, within time: Duration, _ fill: (inout Parameters) -> Void
    ) throws(PostgresFailure) -> Answer {
        let deadline = ContinuousClock.now + time
        var parameters = Parameters()
        fill(&parameters)
        notices.doubt = nil
        guard send(statement, parameters) else { throw lost() }
        let answer = try answer(by: deadline)
        if let doubt = notices.doubt { throw PostgresFailure(.doubtful, state: "01000", message: doubt) }
        return answer
    }

    /// The payloads that other connections have sent by NOTIFY since the last call.
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

    private func send(_ statement: String, _ parameters: Parameters) -> Bool {
        let lengths = parameters.places.map { Int32($0.count) }
        let formats = [Int32](repeating: 1, count: lengths.count)
        return parameters.bytes.withUnsafeBytes { buffer in
            let start = buffer.bindMemory(to: CChar.self).baseAddress
            let values = parameters.places.map { place in start.map { $0 + place.lowerBound } }
            return PQsendQueryParams(handle, statement, Int32(lengths.count), nil, values, lengths, formats, 1) == 1
        }
    }

    private func answer(by deadline: ContinuousClock.Instant) throws(PostgresFailure) -> Answer {
        var latest: Answer?
        var failure: PostgresFailure?
        while true {
            try receive(by: deadline)
            guard let result = PQgetResult(handle) else { break }
            let answer = Answer(result)
            if let error = answer.failure { failure = error } else { latest = answer }
        }
        if PQstatus(handle) != CONNECTION_OK { throw lost() }
        if let failure { throw failure }
        guard let latest else { throw lost() }
        return latest
    }

    /// Returns when PQgetResult() does not block.
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

    private func lost() -> PostgresFailure { PostgresFailure(.lost, message: String(cString: PQerrorMessage(handle))) }
}

/// Records the warning that a commit may not be on a standby.
///
/// `pg_cancel_backend()` and a shutdown end the wait for the synchronous standby. Then the server reports the commit as done,
/// with a warning of class 01000: "canceling wait for synchronous replication" (SyncRepWaitForLSN() in the server's syncrep.c).
/// The text is in the server's language, so every warning of that class counts.
private final class Notices {
    var doubt: String?

    init(of handle: OpaquePointer) {
        // Safe: the connection owns both this and the handle, and closes the handle first.
        PQsetNoticeReceiver(
            handle,
            { context, result in
                guard let context else { return }
                Unmanaged<Notices>.fromOpaque(context).takeUnretainedValue().note(result)
            }, Unmanaged.passUnretained(self).toOpaque())
    }

    private func note(_ result: OpaquePointer?) {
        guard let state = PQresultErrorField(result, Int32(UInt8(ascii: "C"))), String(cString: state) == "01000"
        else { return }
        doubt = PQresultErrorField(result, Int32(UInt8(ascii: "M"))).map { String(cString: $0) } ?? "a warning"
    }
}
