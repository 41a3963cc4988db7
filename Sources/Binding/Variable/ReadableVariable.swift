/// A value that can be read and observed: a ``Variable``, or a ``Constant``, which is its read-only face.
///
/// What only reads (a view, a recorder of changes, a stream) asks for `some ReadableVariable<Value>` and takes either.
public protocol ReadableVariable<Value>: AnyObject, Sendable, Identifiable where ID == ObjectIdentifier {
    /// What is held.
    associatedtype Value: Sendable

    /// The latest value. Safe from any thread.
    var value: Value { get }

    /// The read-only face, to hand to those who must not write.
    var constant: Constant<Value> { get }

    /// The identity of the ``Variable``, for a Constant too.
    ///
    /// It equals `ObjectIdentifier` of the object of a `Notification.Name.variableDidChange`
    /// notification, and is good for as long as the Variable lives.
    var id: ObjectIdentifier { get }
}
