import Sessions
import StoreParts
import ViewModels

/// Which stored models a build can read, found before it is deployed.
public struct ModelCheck: Sendable, Equatable {
    /// Stored models of one view model that cannot be read, all for the same reason.
    public struct Finding: Sendable, Equatable, CustomStringConvertible {
        /// Whose they are and why they cannot be read.
        public let reason: ModelUnreadable
        /// How many there are.
        public internal(set) var count: Int
        /// The public ids of a few of their sessions, as `GET /session` gives them.
        public internal(set) var sessions: [String]

        /// One line, without anything that is stored.
        public var description: String {
            let more = count > sessions.count ? ", …" : ""
            return
                "\(reason): \(count) \(count == 1 ? "session" : "sessions"), \(sessions.joined(separator: ", "))\(more)"
        }
    }

    /// How many of a finding's sessions are named.
    public static let named = 3

    /// How many stored models were read.
    public internal(set) var models = 0
    /// How many stored models there are of view models that this build does not have; they are kept.
    public internal(set) var others = 0
    /// What cannot be read, by view model; empty where all can.
    public internal(set) var findings: [Finding] = []

    /// How many stored models cannot be read.
    public var unreadable: Int { findings.reduce(0) { $0 + $1.count } }
}

/// Reads all stored models of a file, a page at a time: no read holds on to the write-ahead log for long.
struct ModelReader {
    private static let page: Int64 = 512

    private let models: Statement

    /// - Throws: ``SQLiteFailure``, also for a file of a schema that this build cannot read.
    init(_ connection: Connection) throws(SQLiteFailure) {
        // The first schema says no version.
        let hasVersion =
            try connection.integer("SELECT count(*) FROM pragma_table_info('view_models') WHERE name = 'version'") == 1
        models = try connection.prepare(
            """
            SELECT session, name, model, \(hasVersion ? "version" : "1"),
                (SELECT id FROM sessions WHERE sessions.number = view_models.session)
            FROM view_models WHERE (session, name) > (?1, ?2) ORDER BY session, name LIMIT \(Self.page)
            """)
    }

    /// Reads each model by the view model of its name.
    func check(_ viewModels: [Declaration]) throws(SQLiteFailure) -> ModelCheck {
        let known = Dictionary(viewModels.map { ($0.name.rawValue, $0) }) { first, _ in first }
        var check = ModelCheck()
        var last: (session: Int64, name: String) = (.min, "")
        var count: Int64
        repeat {
            count = 0
            try models.bind(last.session, 1)
            try models.bind(last.name, 2)
            defer { models.reset() }
            while try models.step() {
                count += 1
                last = (models.integer(0), models.text(1))
                guard let viewModel = known[last.name] else {
                    check.others += 1
                    continue
                }
                check.models += 1
                do throws(ModelUnreadable) {
                    _ = try viewModel.read(models.bytes(2), storedBy: Int(models.integer(3)))
                } catch {
                    check.note(error, in: models.sessionID(4))
                }
            }
        } while count == Self.page
        check.findings.sort { ($0.reason.viewModel.rawValue, -$0.count) < ($1.reason.viewModel.rawValue, -$1.count) }
        return check
    }
}

extension ModelCheck {
    fileprivate mutating func note(_ reason: ModelUnreadable, in session: SessionID) {
        let index =
            findings.firstIndex { $0.reason == reason }
            ?? {
                findings.append(Finding(reason: reason, count: 0, sessions: []))
                return findings.count - 1
            }()
        findings[index].count += 1
        if findings[index].sessions.count < Self.named { findings[index].sessions.append(session.publicID) }
    }
}
