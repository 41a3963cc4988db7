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
