import Foundation

extension NotificationCenter {
    /// Calls `onChange` with the current value and then with each change, until the observation ends.
    ///
    /// While it lasts, sets of the Variable post on this center, which the observation keeps alive. See ``Observer``
    /// for threads, order and lifetime. The closure is held by the Variable: capture its owner weakly.
    ///
    /// It is called on `queue`, or with none in the setter's thread.
    @discardableResult
    public func observe<Value>(
        _ source: some ReadableVariable<Value>,
        on queue: OperationQueue? = nil,
        onChange: @escaping (Value) -> Void
    ) -> Observer {
        observe(source, on: queue) {
            onChange($0)
            return true
        }
    }

    /// Writes the current value and then each change to a property of `target`, until the observation ends.
    ///
    /// The target is held weakly. See ``Observer`` for threads, order and lifetime.
    ///
    /// It is written on `queue`, or with none in the setter's thread.
    @discardableResult
    public func observe<Value, Target: AnyObject>(
        _ source: some ReadableVariable<Value>,
        on queue: OperationQueue? = nil,
        bindTo target: Target,
        _ keyPath: ReferenceWritableKeyPath<Target, Value>
    ) -> Observer {
        observe(source, on: queue, deliver: writer(to: target) { $0[keyPath: keyPath] = $1 })
    }

    /// Writes the current value and then each change to an optional property of `target`, until the observation ends.
    ///
    /// The target is held weakly. See ``Observer`` for threads, order and lifetime.
    ///
    /// It is written on `queue`, or with none in the setter's thread.
    @discardableResult
    public func observe<Value, Target: AnyObject>(
        _ source: some ReadableVariable<Value>,
        on queue: OperationQueue? = nil,
        bindTo target: Target,
        _ keyPath: ReferenceWritableKeyPath<Target, Value?>
    ) -> Observer {
        observe(source, on: queue, deliver: writer(to: target) { $0[keyPath: keyPath] = $1 })
    }

    private func observe<Value>(
        _ source: some ReadableVariable<Value>, on queue: OperationQueue?, deliver: @escaping (Value) -> Bool
    ) -> Observer {
        let delivery = Delivery(Handler(center: self, deliver: deliver), on: queue)
        source.constant.variable.subscribe(delivery, through: self)
        delivery.start()
        return Observer(delivery: delivery)
    }
}

extension Notification.Name {
    /// A ``Variable`` was set; the notification's object is the Variable.
    ///
    /// Posted in the setter's thread, once for each set and center, after the value was replaced and before the setter
    /// returns. It carries no value: read the Variable. When several threads set at once the posts may overlap.
    public static let variableDidChange = Notification.Name("variable.change")
    // At most 15 bytes of UTF-8 make a string without heap storage, which costs the center less to hash.
}
