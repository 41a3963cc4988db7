import Events
import Foundation
import Sessions
import StoreParts

/// How a store works; what its user does not choose is chosen here, and in tests.
struct Settings: Sendable {
    /// Where the tables are.
    var schema = SchemaName.standard
    /// How long a session lives that nobody uses, in whole seconds; nil where nobody says.
    var timeToLive: Duration?
    /// The time of day; nil for the server's.
    var now: (@Sendable () -> TimeOfDay)?
    /// What this machine takes for it, which is compared with the server's.
    var machineTime: @Sendable () -> TimeOfDay = { TimeOfDay(secondsSince1970: Int64(Date().timeIntervalSince1970)) }
    /// What the tables are opened for.
    var purpose = StorePurpose.service
    /// Whether no other may have them open.
    var isAlone: Bool { purpose != .service }
    /// Is told when the store begins to fail, and when it works again.
    var log: (any EventLog)?
    /// From when on a group that hangs is told of, and how long it has to work before it counts as back.
    var bounds = StoreHealth.Bounds()
    /// Connections that read, each with a thread.
    var readers = 2
    /// All connections of a store: those, one that commits, one for what is done now and then, and one for hints.
    var connections: Int { readers + 3 }
    /// Commits in a statement, and requests that are read in one.
    var groupLimit = 512
    /// How much of a group's commits is sent in one statement, in bytes of what they store: it is in memory some times over, and a
    /// parameter of PostgreSQL's has at most a gigabyte.
    var groupBytes = 16 << 20
    /// How long the caller of a commit waits before it is told that nobody knows: for a synchronous standby that does not
    /// answer, above all.
    var commitTimeout = Duration.seconds(5)
    /// How long the server works at a statement, and a reader waits for it.
    var statementTimeout = Duration.seconds(4)
    /// How long a commit waits for others who write the same session.
    var lockTimeout = Duration.seconds(1)
    /// How long a store that was lost is left alone before it is tried again.
    var patience = Duration.milliseconds(200)
    /// How often hints are sent at most; those that come meanwhile go together.
    var hintInterval = Duration.milliseconds(3)
    /// How long a replica that is not heard of keeps the leases of sessions that change by themselves; more than two seconds.
    var leaseTime = Duration.seconds(4)
    /// How often sessions that somebody waits for are looked at, in case a hint was lost, and leases are kept up.
    var lookInterval = Duration.seconds(1)
    /// How often the server is asked for the time and how it is set up, beside the start and whenever it is another.
    var askInterval = Duration.seconds(30)
    /// How long a count of all sessions is kept, or twenty times as long as it took.
    var countInterval = Duration.seconds(1)
    /// How many sessions are looked at by one statement after the time to live was changed.
    var moveLimit = 512
}

/// The name of the schema in which the tables are.
public struct SchemaName: Hashable, Sendable {
    /// The name.
    public let rawValue: String

    /// The name for whoever chooses none: `bindery`.
    public static let standard = SchemaName(unchecked: "bindery")

    /// Takes a name: letters of ASCII in lower case, digits and underscores, at most 63, no digit first.
    ///
    /// - Returns: nil for any other.
    public init?(_ text: String) {
        guard text.wholeMatch(of: /[a-z_][a-z0-9_]{0,62}/) != nil else { return nil }
        rawValue = text
    }

    private init(unchecked text: String) { rawValue = text }

    /// As SQL writes it.
    var quoted: String { "\"\(rawValue)\"" }
}
