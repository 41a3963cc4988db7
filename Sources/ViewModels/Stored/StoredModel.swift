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
/// What keeps a server from starting that hosts one is listed at ``DeclarationFault``.
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

extension StoredModel {
    /// Reads a stored model by the rules of ``StoredModel``.
    ///
    /// What a later version stored is read only where all is there that this one needs: what is missing there was left out
    /// on purpose, and a default would deny what is stored under another name.
    ///
    /// - Parameter stored: the version that the text was stored by.
    /// - Returns: the model, what this build does not know of it, and how the two differ.
    /// - Throws: ``ModelUnreadable``.
    static func read(
        _ text: [UInt8], storedBy stored: Int, for viewModel: Name
    ) throws(ModelUnreadable) -> (model: Self, kept: KeptMembers?, reading: ModelReading) {
        var isMigration = false
        do {
            var node = try JSONGrammar.read(text)
            if stored < version, case .object(let members) = node {
                isMigration = true
                var object = StoredObject(members)
                try migrate(&object, from: stored)
                node = object.node
                isMigration = false
            }
            let defaults = StoredDefaults(of: Self.self, isWhole: stored > version)
            let model = try JSONNodeDecoder(node: node, defaults: defaults).decode(Self.self)
            let kept = KeptMembers(unaskedIn: node, readAs: model)
            return (model, kept, ModelReading(unknown: kept?.places ?? [], missing: defaults.missing))
        } catch {
            throw ModelUnreadable(
                error, reading: viewModel, storedVersion: stored, version: version, isMigration: isMigration)
        }
    }
}

/// How a stored model and the model of this build differ, where it could be read all the same.
package struct ModelReading: Sendable {
    /// A member of an object of the model.
    package struct Place: Hashable, Sendable {
        /// The names that lead to the object.
        package let object: [String]
        /// The name of the member.
        package let member: String

        func within(_ name: String) -> Place { Place(object: [name] + object, member: member) }
    }

    /// What was stored and this build does not know; it is kept.
    package let unknown: [Place]
    /// What this build looked for and was not stored.
    package let missing: [Place]
}
