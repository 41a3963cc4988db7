/// A property of a class with a ``Variable`` as its storage: code sets it as a plain property, and observes
/// `$property`.
///
/// ```swift
/// final class OrientationViewModel {
///     @Posted private(set) var isLandscape = false
/// }
/// center.observe(viewModel.$isLandscape, bindTo: label, \.isHidden)
/// ```
///
/// This is like Combine's `Published`, with another name so that a file may import both. Unlike `Published`, it
/// notifies after it has replaced the value. It posts on the centers on which `$property` is observed. Safe on any
/// thread, like a Variable.
@propertyWrapper
public struct Posted<Value: Sendable>: Sendable {
    let variable: Variable<Value>

    /// Makes the property with its first value.
    public init(wrappedValue: Value) {
        variable = Variable(wrappedValue)
    }

    /// The latest value; a set has the effects of a set of a ``Variable``.
    public var wrappedValue: Value {
        get { variable.value }
        nonmutating set { variable.value = newValue }
    }

    /// The read-only form, to observe or read.
    public var projectedValue: Constant<Value> { variable.constant }
}
