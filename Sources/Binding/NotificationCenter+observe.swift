import Foundation

extension NotificationCenter {
    /// Calls `onChange` with the current value and then with each change, until the observation ends.
    ///
    /// During the observation, sets of the Variable post on this center, and the observation keeps the center alive.
    /// The Variable keeps the closure: capture its owner weakly. See ``Observer`` for threads, order and lifetime.
    ///
    /// The call is on `queue`, or without one on the setter's thread.
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
    /// The reference to the target is weak. See ``Observer`` for threads, order and lifetime.
    ///
    /// The write is on `queue`, or without one on the setter's thread.
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
    /// The reference to the target is weak. See ``Observer`` for threads, order and lifetime.
    ///
    /// The write is on `queue`, or without one on the setter's thread.
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
    /// The setter posts it once for each set and center, on its thread, after it has replaced the value. The
    /// notification has no value: read the Variable. If several threads set at once, the posts may overlap.
    public static let variableDidChange = Notification.Name("variable.change")
    // A string of at most 15 bytes has no heap storage, so the center hashes it faster.
}
