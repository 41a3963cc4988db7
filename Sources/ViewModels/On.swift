import Foundation

/// A reaction to a notification from an action of another view model in the session.
///
/// It runs in the same commit as the action. Reactions run in declared order, and their posts trigger no
/// reactions. If a reaction throws, the action fails and nothing changes.
/// ```swift
/// On(Orientation.didChange) { $0.orientationDidChange($1) }
/// ```
public struct On<Root: Hostable>: Sendable {
    let name: Notification.Name
    @usableFromInline let react: @Sendable (inout Root, Notification, Root.Context) throws -> Void

    /// Declares a reaction.
    ///
    /// - Parameter react: takes the view model and the notification, which has `userInfo` but no object.
    public init(_ name: Notification.Name, _ react: @escaping @Sendable (inout Root, Notification) throws -> Void) {
        self.init(name) { root, notification, _ in try react(&root, notification) }
    }

    /// Declares a reaction that uses the context.
    public init(
        _ name: Notification.Name,
        _ react: @escaping @Sendable (inout Root, Notification, Root.Context) throws -> Void
    ) {
        (self.name, self.react) = (name, react)
    }
}
