import Foundation

extension Notification.Name {
    /// A property of a plain object changed, as told by `NotificationCenter.post(_:of:)`.
    ///
    /// The notification's object is the one whose property changed, or nil for any of its type.
    public static let propertyDidChange = Notification.Name("property.change")
}

extension NotificationCenter {
    /// Tells those who observe a property of a plain object that it has changed.
    ///
    /// ```swift
    /// viewModel.text = "changed"
    /// center.post(\ViewModel.text, of: viewModel)
    /// ```
    ///
    /// The property is read here, in the calling thread, for each of its observations, and then delivered as
    /// ``Observer`` says. Call it where the object may be touched, after the change; when threads post at once,
    /// one may read for the others.
    ///
    /// - Parameters:
    ///   - keyPath: the property, written as it was when it was observed.
    ///   - object: whose property changed; nil tells the observers of the property in every object of the type.
    public func post<Root: AnyObject, Value>(_ keyPath: KeyPath<Root, Value>, of object: Root? = nil) {
        post(name: .propertyDidChange, object: object, userInfo: [PropertyChange.keyPath: keyPath])
    }
}

/// What a notification of `Notification.Name.propertyDidChange` tells.
struct PropertyChange {
    static let keyPath = "keyPath"

    private let property: AnyKeyPath?
    private let object: AnyObject?

    init(_ notification: Notification) {
        property = notification.userInfo?[Self.keyPath] as? AnyKeyPath
        object = notification.object.map { $0 as AnyObject }
    }

    /// Whether `property` of `object` may have changed.
    func concerns(_ property: AnyKeyPath, of object: AnyObject) -> Bool {
        self.property == property && (self.object == nil || self.object === object)
    }
}
