/// A property of a class that is a ``Variable`` underneath: written as a plain property, observed through its `$` face.
///
/// ```swift
/// final class OrientationViewModel {
///     @Posted private(set) var isLandscape = false
/// }
/// center.observe(viewModel.$isLandscape, bindTo: label, \.isHidden)
/// ```
///
/// It is Combine's `Published` for this library, with another name so that a file may import both; and unlike
/// `Published` it tells of a change after the value was replaced. It posts on the centers that the `$` face is observed
/// through. Safe from any thread as a Variable is.
@propertyWrapper
public struct Posted<Value: Sendable>: Sendable {
    let variable: Variable<Value>

    /// Makes the property with its first value.
    public init(wrappedValue: Value) {
        variable = Variable(wrappedValue)
    }

    /// The latest value; a set is delivered and posted as one of a ``Variable``.
    public var wrappedValue: Value {
        get { variable.value }
        nonmutating set { variable.value = newValue }
    }

    /// The read-only face, to observe or read.
    public var projectedValue: Constant<Value> { variable.constant }
}
