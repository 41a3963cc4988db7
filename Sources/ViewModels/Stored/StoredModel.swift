/// A value that is stored, and has a beginning: what `init()` makes stands in for members that a stored text lacks.
///
/// A model is one. A structure inside a list, a dictionary or an optional becomes one by its name alone, where all of its
/// members have defaults: `struct Lap: StoredValue { var time = 0; var note = "" }`. What an earlier build stored without
/// `note` is then read with that default. A structure that is itself a member of a model needs nothing: its defaults are
/// those that the model's `init()` gives it.
public protocol StoredValue: Codable, Sendable {
    /// The value before anything has happened to it.
    init()
}

/// The stored value behind a view model: small, Codable, and with a beginning.
///
/// Stored sessions outlive the build. What one build stored, another reads by these rules:
/// - A member that is missing has the value that `init()` gives it; inside a list, a dictionary or an optional, the one
///   that the element's own ``StoredValue/init()`` gives it. An optional member that is missing is nil.
/// - A member that this build does not know is kept, and stored again with every change: at the top, in objects, in a
///   dictionary's values by their keys, and in those elements of a list that are otherwise as they were.
/// - What else cannot be read, such as text where a number was, is ``ModelUnreadable``; nothing is made up for it.
///
/// For all other changes, as a new name or another unit, the model counts its ``version`` up and says in
/// ``migrate(_:from:)`` what is to be done to an earlier one.
public protocol StoredModel: StoredValue {
    /// The version of what is stored, 1 unless declared; counted up with each change that ``migrate(_:from:)`` knows of,
    /// and never down.
    ///
    /// Also to be counted up where only the outputs are derived otherwise and builds of both kinds serve the same store
    /// for a while: a build leaves what a later version derived as it is.
    static var version: Int { get }

    /// Leads a stored model of an earlier version to this one.
    ///
    /// ```swift
    /// static let version = 3
    /// static func migrate(_ stored: inout StoredObject, from version: Int) throws {
    ///     if version < 2 { stored.rename("taken", to: "issued") }
    ///     if version < 3 { try stored.set("cents", to: stored.get("euros", as: Int.self) * 100) }
    /// }
    /// ```
    /// Called when a model of an earlier version is loaded, before it is decoded; what it makes is stored with the next
    /// change. Members that it does not touch follow the rules of ``StoredModel``.
    ///
    /// - Parameter version: the version that was stored: 1 or more, less than ``version``.
    /// - Throws: whatever it likes: the model is then ``ModelUnreadable``.
    static func migrate(_ stored: inout StoredObject, from version: Int) throws
}

extension StoredModel {
    /// The first version.
    public static var version: Int { 1 }

    /// Changes nothing.
    public static func migrate(_ stored: inout StoredObject, from version: Int) throws {}
}
