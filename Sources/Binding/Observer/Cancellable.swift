/// What an ``Observer`` needs of the delivery behind it, whatever its value's type.
@usableFromInline
protocol Cancellable: AnyObject, Sendable {
    func cancel()
    var isCancelled: Bool { get }
}
