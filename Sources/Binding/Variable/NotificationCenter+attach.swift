import Foundation

extension Notification.Name {
    /// A ``Variable`` was set; the notification's object is the Variable.
    ///
    /// Posted in the setter's thread, once for each set and center, after the value was replaced and before the setter
    /// returns. It carries no value: read the Variable. When several threads set at once the posts may overlap.
    public static let variableDidChange = Notification.Name("variable.change")
    // At most 15 bytes of UTF-8 make a string without heap storage, which costs the center less to hash.
}

extension NotificationCenter {
    /// Makes every set of `variable` post `Notification.Name.variableDidChange` here, though nobody binds to it.
    ///
    /// An observer of that name, or of every name, then sees each change of each attached Variable and tells
    /// them apart by the identity of the object. Attaching twice is attaching once. The Variable holds this center
    /// weakly and the center does not hold the Variable. Safe from any thread.
    public func attach(_ variable: some ReadableVariable) {
        variable.constant.variable.attach(to: self)
    }

    /// Undoes ``attach(_:)``; the Variable goes on posting here as long as it is observed through this center.
    public func detach(_ variable: some ReadableVariable) {
        variable.constant.variable.detach(from: self)
    }
}
