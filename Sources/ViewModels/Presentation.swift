import Binding
import Foundation

/// A type by whose key paths a client names what a view model shows.
///
/// A ``ViewModel`` is one by its ``ViewModel/interface``. A client that does not have the view model's code has a structure
/// instead, as `bindery client swift` writes it.
public protocol Presented: SendableMetatype {
    /// The outputs, by name and key path.
    static var presentation: Presentation<Self> { get }
}

extension ViewModel {
    /// What its interface declares.
    public static var presentation: Presentation<Self> { interface.presentation }
}

/// What a view model shows, or a facet of it: under which name, and each output at which key path.
///
/// ```swift
/// struct Counter: Presented {
///     let text: String
///     static let presentation = Presentation<Counter>("counter", ShownOutput("text", \.text))
/// }
/// ```
public struct Presentation<Owner>: Sendable {
    /// The view model's name.
    public let name: Name
    /// The facet's name; nil for all of the view model.
    public let facet: Name?
    /// The outputs, in declared order.
    public let outputs: [ShownOutput<Owner>]

    /// Lists the outputs of a view model, or of one of its facets.
    public init(_ name: String, facet: String? = nil, _ outputs: ShownOutput<Owner>...) {
        self.init(name: Name(declared: name), facet: facet.map(Name.init(declared:)), outputs)
    }

    init(name: Name, facet: Name? = nil, _ outputs: [ShownOutput<Owner>]) {
        (self.name, self.facet, self.outputs) = (name, facet, outputs)
    }

    /// What `?topics=` and paths call it: `profile`, or `profile/card`.
    public var topic: String { facet.map { "\(name)/\($0)" } ?? name.rawValue }

    /// The output at a key path; nil where none is declared so.
    package func output(at path: PartialKeyPath<Owner>) -> ShownOutput<Owner>? { outputs.first { $0.path == path } }
}

/// A named output of a presentation, and the type that its value has.
public struct ShownOutput<Owner>: Sendable {
    /// The member's name in the view model's JSON object.
    public let name: Name
    let path: PartialKeyPath<Owner> & Sendable
    /// A variable of the output's type, with the value of JSON text.
    package let variable: @Sendable (_ json: [UInt8]) throws -> any ShownVariable

    /// An output that is a plain property.
    public init<Value: Decodable & Sendable>(_ name: String, _ path: KeyPath<Owner, Value> & Sendable) {
        self.init(Name(declared: name), path, Value.self)
    }

    /// An output that is a variable, a constant or the `$` face of a `Posted` property.
    public init<Value: Decodable & Sendable>(
        _ name: String, _ path: KeyPath<Owner, some ReadableVariable<Value>> & Sendable
    ) { self.init(Name(declared: name), path, Value.self) }

    init<Value: Decodable & Sendable>(_ name: Name, _ path: PartialKeyPath<Owner> & Sendable, _ type: Value.Type) {
        (self.name, self.path) = (name, path)
        variable = { TypedVariable(Variable(try JSON.decode(type, from: $0))) }
    }
}

/// A variable that shows an output, of whatever type.
package protocol ShownVariable: AnyObject, Sendable {
    /// The value now.
    var current: any Sendable { get }

    /// Reads a value, and gives back what sets it.
    func reading(_ json: [UInt8]) throws -> @Sendable () -> Void

    /// Calls with each change, after the current value, as ``Observer`` says.
    func observe(on queue: OperationQueue?, _ tell: @escaping @Sendable (any Sendable) -> Void) -> Observer
}

/// The variable of an output whose type is known.
package final class TypedVariable<Value: Decodable & Sendable>: ShownVariable {
    package let variable: Variable<Value>

    init(_ variable: Variable<Value>) { self.variable = variable }

    package var current: any Sendable { variable.value }

    package func reading(_ json: [UInt8]) throws -> @Sendable () -> Void {
        let value = try JSON.decode(Value.self, from: json)
        return { [variable] in variable.value = value }
    }

    package func observe(on queue: OperationQueue?, _ tell: @escaping @Sendable (any Sendable) -> Void) -> Observer {
        NotificationCenter().observe(variable, on: queue) { tell($0) }
    }
}
