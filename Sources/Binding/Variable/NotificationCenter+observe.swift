import Foundation

extension NotificationCenter {
    /// Calls `onChange` with the current value and then with each change, until the observation ends.
    ///
    /// While it lasts, sets of the Variable post on this center, which the observation keeps alive. See ``Observer``
    /// for threads, order and lifetime. The closure is held by the Variable: capture its owner weakly.
    ///
    /// It is called on `queue`, or with none in the setter's thread.
    @inlinable
    @discardableResult
    public func observe<Value>(
        _ source: some ReadableVariable<Value>,
        on queue: OperationQueue? = nil,
        onChange: @escaping (Value) -> Void
    ) -> Observer {
        observe(source, on: queue, handler: Handler(through: self, onChange: onChange))
    }

    /// Writes the current value and then each change to a property of `target`, until the observation ends.
    ///
    /// The target is held weakly. See ``Observer`` for threads, order and lifetime.
    ///
    /// It is written on `queue`, or with none in the setter's thread.
    @inlinable
    @discardableResult
    public func observe<Value, Target: AnyObject>(
        _ source: some ReadableVariable<Value>,
        on queue: OperationQueue? = nil,
        bindTo target: Target,
        _ keyPath: ReferenceWritableKeyPath<Target, Value>
    ) -> Observer {
        observe(source, on: queue, handler: Handler(through: self, target: target) { $0[keyPath: keyPath] = $1 })
    }

    /// Writes the current value and then each change to an optional property of `target`, until the observation ends.
    ///
    /// The target is held weakly. See ``Observer`` for threads, order and lifetime.
    ///
    /// It is written on `queue`, or with none in the setter's thread.
    @inlinable
    @discardableResult
    public func observe<Value, Target: AnyObject>(
        _ source: some ReadableVariable<Value>,
        on queue: OperationQueue? = nil,
        bindTo target: Target,
        _ keyPath: ReferenceWritableKeyPath<Target, Value?>
    ) -> Observer {
        observe(source, on: queue, handler: Handler(through: self, target: target) { $0[keyPath: keyPath] = $1 })
    }

    /// Writes the current value and then each change to a property of `target` that cannot be nil.
    ///
    /// The target is held weakly. See ``Observer`` for threads, order and lifetime.
    ///
    /// Where the source is nil, `default` is written; without one, an optional does not bind to such a property.
    /// It is written on `queue`, or with none in the setter's thread.
    @inlinable
    @discardableResult
    public func observe<Value: Sendable, Target: AnyObject>(
        _ source: some ReadableVariable<Value?>,
        on queue: OperationQueue? = nil,
        bindTo target: Target,
        _ keyPath: ReferenceWritableKeyPath<Target, Value>,
        default: Value
    ) -> Observer {
        let handler = Handler(through: self, target: target) { (target: Target, value: Value?) in
            target[keyPath: keyPath] = value ?? `default`
        }
        return observe(source, on: queue, handler: handler)
    }

    @inlinable
    func observe<Value>(
        _ source: some ReadableVariable<Value>, on queue: OperationQueue?, handler: Handler<Value>
    ) -> Observer {
        let delivery = Delivery(handler: handler, on: queue)
        source.constant.variable.subscribe(.delivery(delivery), through: self)
        delivery.start()
        return Observer(delivery: delivery)
    }
}
