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
        post(name: .propertyDidChange, object: object, userInfo: [propertyKey: keyPath])
    }

    /// Calls `onChange` with the property's current value, and again each time that its change is posted.
    ///
    /// The object is held weakly, and this center is not kept alive. Changes are told by ``post(_:of:)``. See
    /// ``Observer`` for threads, order and lifetime. The closure is held by the center: capture its owner weakly.
    ///
    /// It is called on `queue`, or with none in the thread that posts.
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

    /// Writes a property's current value to a property of `target`, and again each time that its change is posted.
    ///
    /// Both objects are held weakly, and this center is not kept alive. Changes are told by ``post(_:of:)``. See
    /// ``Observer`` for threads, order and lifetime.
    ///
    /// It is written on `queue`, or with none in the thread that posts.
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

    /// Writes a property's current value to an optional property of `target`, and again each time that its change is posted.
    ///
    /// Both objects are held weakly, and this center is not kept alive. Changes are told by ``post(_:of:)``. See
    /// ``Observer`` for threads, order and lifetime.
    ///
    /// It is written on `queue`, or with none in the thread that posts.
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
