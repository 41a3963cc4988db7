/// The read-only face of a ``Variable``: it can be read and observed, not set.
///
/// A Constant keeps its Variable alive. Faces come and go without anyone noticing: an observation of a Constant is one
/// of its Variable and lives as long as that does. Safe from any thread.
public final class Constant<Value: Sendable>: Sendable, ReadableVariable {
    @usableFromInline let variable: Variable<Value>

    /// Makes a read-only face of `variable`.
    @inlinable
    public init(_ variable: Variable<Value>) {
        self.variable = variable
    }

    /// Makes a read-only face of `variable`.
    @inlinable
    public convenience init(variable: Variable<Value>) {
        self.init(variable)
    }

    /// Makes a constant of a value that never changes.
    @inlinable
    public convenience init(value: Value) {
        self.init(Variable(value))
    }

    /// The Variable's latest value.
    ///
    /// Safe from any thread.
    @inlinable public var value: Value { variable.value }

    /// This Constant.
    @inlinable public var constant: Constant<Value> { self }

    /// The identity of the Variable behind this face.
    public var id: ObjectIdentifier { variable.id }
}
