import Foundation

extension NotificationCenter {
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
        observe(source, property, on: queue, handler: Handler(through: nil, from: source, onChange: onChange))
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
        let handler = Handler(through: nil, from: source, target: target) { (target: Target, value: Value) in
            target[keyPath: keyPath] = value
        }
        return observe(source, property, on: queue, handler: handler)
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
        let handler = Handler(through: nil, from: source, target: target) { (target: Target, value: Value) in
            target[keyPath: keyPath] = value
        }
        return observe(source, property, on: queue, handler: handler)
    }

    /// Writes a property's current value to one of `target` that cannot be nil, and again each time that its change is posted.
    ///
    /// Both objects are held weakly, and this center is not kept alive. Changes are told by ``post(_:of:)``. See
    /// ``Observer`` for threads, order and lifetime.
    ///
    /// Where the source is nil, `default` is written; without one, an optional does not bind to such a property.
    /// It is written on `queue`, or with none in the thread that posts.
    @discardableResult
    public func observe<Root: AnyObject, Value: Sendable, Target: AnyObject>(
        _ source: Root,
        _ property: KeyPath<Root, Value?>,
        on queue: OperationQueue? = nil,
        bindTo target: Target,
        _ keyPath: ReferenceWritableKeyPath<Target, Value>,
        default: Value
    ) -> Observer {
        let handler = Handler(through: nil, from: source, target: target) { (target: Target, value: Value?) in
            target[keyPath: keyPath] = value ?? `default`
        }
        return observe(source, property, on: queue, handler: handler)
    }

    private func observe<Root: AnyObject, Value: Sendable>(
        _ source: Root, _ property: KeyPath<Root, Value>, on queue: OperationQueue?, handler: Handler<Value>
    ) -> Observer {
        Observer(delivery: PropertyObserver(source, property, on: queue, in: self, handler: handler))
    }
}
