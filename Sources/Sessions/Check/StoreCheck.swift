import Foundation

/// How a store stands, and what a build can read of it.
public struct StoreCheck: Sendable, Equatable, CustomStringConvertible {
    /// How many lines of damage are told.
    public static let told = 10

    /// The version of the file's schema, or of the tables.
    public let schema: Int
    /// The version that this build leads it to when it serves the store.
    public let nextSchema: Int
    /// What is damaged in a file, in SQLite's words, a line each, at most ``told``; nil of tables, after which their server looks.
    ///
    /// Empty where the file is sound.
    public let damage: [String]?
    /// How many sessions there are, the public one among them; 0 in a damaged file, as what follows.
    public package(set) var sessions = 0
    /// How many of them are over, and wait to be forgotten.
    public package(set) var over = 0
    /// When the next session ends if nobody uses it, and when the last.
    ///
    /// Each ends so long after its last use as the server lets it live. Nil where none ends.
    public package(set) var ends: ClosedRange<TimeOfDay>?
    /// How many outcomes of idempotency keys are kept.
    public package(set) var outcomes = 0
    /// Which stored models the build can read.
    public package(set) var models = ModelCheck()

    /// Of a store of which nothing more is known yet.
    package init(schema: Int, nextSchema: Int, damage: [String]?) {
        (self.schema, self.nextSchema, self.damage) = (schema, nextSchema, damage)
    }

    /// One line, without anything that is stored.
    public var description: String {
        let (what, when) = damage == nil ? ("tables of version", "they are") : ("sound, schema", "it is")
        let schema =
            schema == nextSchema
            ? "\(what) \(schema)" : "\(what) \(schema), led to \(nextSchema) when \(when) served"
        let over = over == 0 ? "" : ", \(over) of them over"
        let ends =
            ends.map { ", the next ends \(Self.text($0.lowerBound)), the last \(Self.text($0.upperBound))" } ?? ""
        let held = "\(sessions) \(sessions == 1 ? "session" : "sessions")\(over)\(ends)"
        return "\(schema); \(held); \(outcomes) \(outcomes == 1 ? "outcome" : "outcomes") of idempotency keys"
    }

    private static func text(_ time: TimeOfDay) -> String {
        Date(timeIntervalSince1970: Double(time.secondsSince1970)).formatted(.iso8601)
    }
}
