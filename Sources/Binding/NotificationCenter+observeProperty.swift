import Foundation

extension Notification.Name {
    /// A property of a plain object changed; `NotificationCenter.post(_:of:)` posts this.
    ///
    /// The notification's object is the object with the changed property, or nil for all objects of the type.
    public static let propertyDidChange = Notification.Name("property.change")
}

extension NotificationCenter {
    /// Notifies the observers of a property of a plain object that the property has changed.
    ///
    /// ```swift
    /// viewModel.text = "changed"
    /// center.post(\ViewModel.text, of: viewModel)
    /// ```
    ///
    /// Each observation reads the property on the calling thread, and then delivers it (``Observer``). Call this after
    /// the change, on a thread that may use the object. If threads post at once, one may read for the others.
    ///
    /// - Parameters:
    ///   - keyPath: the same key path that the observer uses.
    ///   - object: the object with the changed property; nil notifies the observers of the property in all objects of
    ///     the type.
    public func post<Root: AnyObject, Value>(_ keyPath: KeyPath<Root, Value>, of object: Root? = nil) {
        post(name: .propertyDidChange, object: object, userInfo: [propertyKey: keyPath])
    }

    /// Calls `onChange` with the property's current value, and again after each posted change.
    ///
    /// References to the object and to this center are weak. ``post(_:of:)`` notifies of changes. The center keeps the
    /// closure: capture its owner weakly. See ``Observer`` for threads, order and lifetime.
    ///
    /// The call is on `queue`, or without one on the posting thread.
    @discardableResult
    public func observe<Root: AnyObject, Value: Sendable>(
        _ source: Root,
        _ property: KeyPath<Root, Value>,
        on queue: OperationQueue? = nil,
        onChange: @escaping (Value) -> Void
    ) -> Observer {
        observe(source, property, on: queue) {
            onChange($0)
            return true
        }
    }

    /// Writes a property's current value to a property of `target`, and again after each posted change.
    ///
    /// References to both objects and to this center are weak. ``post(_:of:)`` notifies of changes. See ``Observer``
    /// for threads, order and lifetime.
    ///
    /// The write is on `queue`, or without one on the posting thread.
    @discardableResult
    public func observe<Root: AnyObject, Value: Sendable, Target: AnyObject>(
        _ source: Root,
        _ property: KeyPath<Root, Value>,
        on queue: OperationQueue? = nil,
        bindTo target: Target,
        _ keyPath: ReferenceWritableKeyPath<Target, Value>
    ) -> Observer {
        observe(source, property, on: queue, deliver: writer(to: target) { $0[keyPath: keyPath] = $1 })
    }

    /// Writes a property's current value to an optional property of `target`, and again after each posted change.
    ///
    /// References to both objects and to this center are weak. ``post(_:of:)`` notifies of changes. See ``Observer``
    /// for threads, order and lifetime.
    ///
    /// The write is on `queue`, or without one on the posting thread.
    @discardableResult
    public func observe<Root: AnyObject, Value: Sendable, Target: AnyObject>(
        _ source: Root,
        _ property: KeyPath<Root, Value>,
        on queue: OperationQueue? = nil,
        bindTo target: Target,
        _ keyPath: ReferenceWritableKeyPath<Target, Value?>
    ) -> Observer {
        observe(source, property, on: queue, deliver: writer(to: target) { $0[keyPath: keyPath] = $1 })
    }

    private func observe<Root: AnyObject, Value: Sendable>(
        _ source: Root, _ property: KeyPath<Root, Value>, on queue: OperationQueue?,
        deliver: @escaping (Value) -> Bool
    ) -> Observer {
        let observer = PropertyObserver(source, property, on: queue, in: self, deliver: deliver)
        observer.start(source, in: self)
        return Observer(delivery: observer)
    }
}
