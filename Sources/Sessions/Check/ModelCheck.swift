public import ViewModels

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

    /// Of a store with so many models, all of which can be read, or of none.
    package init(models: Int = 0) { self.models = models }

    /// How many stored models cannot be read.
    public var unreadable: Int { findings.reduce(0) { $0 + $1.count } }
}

/// Reads the stored models of a store, each by the view model of its name, and keeps none of them.
package struct ModelReader {
    private let known: [String: Declaration]
    private var check = ModelCheck()

    /// Of the build that is to serve the store.
    package init(_ viewModels: [Declaration]) {
        known = Dictionary(viewModels.map { ($0.name.rawValue, $0) }) { first, _ in first }
    }

    /// Reads one.
    ///
    /// - Parameters:
    ///   - model: asked for where there is a view model of that name.
    ///   - session: asked for where it is to be named.
    package mutating func read(
        _ name: String, storedBy version: Int, _ model: @autoclosure () -> [UInt8],
        in session: @autoclosure () -> SessionID
    ) {
        guard let viewModel = known[name] else {
            check.others += 1
            return
        }
        check.models += 1
        do throws(ModelUnreadable) {
            _ = try viewModel.read(model(), storedBy: version)
        } catch {
            check.note(error, in: session())
        }
    }

    /// What was found.
    package var result: ModelCheck {
        var check = check
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
