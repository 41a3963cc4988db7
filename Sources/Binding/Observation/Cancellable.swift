/// What an ``Observation`` needs of the delivery behind it, whatever its value's type.
protocol Cancellable: AnyObject, Sendable {
    func cancel()
    var isCancelled: Bool { get }
}
