import Locking

extension Variable where Value: Equatable {
    /// Sets the value if it is another than the present one, in one step; else nothing is posted or delivered.
    ///
    /// For a value that is derived anew from something larger and mostly stays what it was.
    @inlinable
    public func update(to newValue: Value) {
        guard let change = state.withLock({ $0.value == newValue ? nil : $0.replaceValue(with: newValue) }) else {
            return
        }
        announce(change)
    }
}
