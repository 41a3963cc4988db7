import Foundation
public import Sessions
import ViewModels

/// How the file of a store stands, and what a build can read of it.
public struct StoreCheck: Sendable, Equatable, CustomStringConvertible {
    /// How many lines of damage are told.
    public static let told = 10

    /// The version of the file's schema.
    public let schema: Int
    /// The version that this build leads it to when it serves the file.
    public let nextSchema: Int
    /// What is damaged, in SQLite's words, a line each, at most ``told``; empty where the file is sound.
    public let damage: [String]
    /// How many sessions there are, the public one among them; 0 in a damaged file, as what follows.
    public private(set) var sessions = 0
    /// How many of them are over, and wait to be forgotten.
    public private(set) var over = 0
    /// When the next session ends if nobody uses it, and when the last.
    ///
    /// Each ends so long after its last use as the server lets it live. Nil where none ends.
    public private(set) var ends: ClosedRange<TimeOfDay>?
    /// How many outcomes of idempotency keys are kept.
    public private(set) var outcomes = 0
    /// Which stored models the build can read.
    public private(set) var models = ModelCheck()

    /// Reads a file.
    ///
    /// - Throws: ``SQLiteFailure``.
    init(_ connection: Connection, of schema: Int32, for viewModels: [Declaration]) throws(SQLiteFailure) {
        self.schema = Int(schema)
        nextSchema = Int(max(schema, Schema.current.version))
        damage = try Self.damage(in: connection)
        guard damage.isEmpty else { return }
        let now = Int64(Date().timeIntervalSince1970)
        sessions = try connection.count("SELECT count(*) FROM sessions")
        over = try connection.count("SELECT count(*) FROM sessions WHERE ends <= \(now)")
        let later = "FROM sessions WHERE ends > \(now)"
        if try connection.count("SELECT count(*) \(later)") > 0,
            let first = try connection.integer("SELECT min(ends) \(later)"),
            let last = try connection.integer("SELECT max(ends) \(later)")
        {
            ends = TimeOfDay(secondsSince1970: first)...TimeOfDay(secondsSince1970: last)
        }
        if schema >= 3 { outcomes = try connection.count("SELECT count(*) FROM keys") }
        models = try ModelReader(connection).check(viewModels)
    }

    private static func damage(in connection: Connection) throws(SQLiteFailure) -> [String] {
        var lines: [String] = []
        do throws(SQLiteFailure) {
            let findings = try connection.prepare("PRAGMA integrity_check(\(told))")
            while try findings.step() { lines.append(findings.text(0)) }
        } catch {
            guard error.isDamage else { throw error }
            lines.append(error.message)
        }
        return lines == ["ok"] ? [] : lines
    }

    /// One line, without anything that is stored.
    public var description: String {
        let schema =
            schema == nextSchema ? "schema \(schema)" : "schema \(schema), led to \(nextSchema) when it is served"
        let over = over == 0 ? "" : ", \(over) of them over"
        let ends =
            ends.map { ", the next ends \(Self.text($0.lowerBound)), the last \(Self.text($0.upperBound))" } ?? ""
        return "sound, \(schema); \(sessions) sessions\(over)\(ends); \(outcomes) outcomes of idempotency keys"
    }

    private static func text(_ time: TimeOfDay) -> String {
        Date(timeIntervalSince1970: Double(time.secondsSince1970)).formatted(.iso8601)
    }
}

extension Connection {
    fileprivate func count(_ query: String) throws(SQLiteFailure) -> Int { Int(try integer(query) ?? 0) }
}
