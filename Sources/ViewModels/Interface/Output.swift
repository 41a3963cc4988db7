import Binding
import Foundation

/// A named, typed value of a view model's presentation state.
public struct Output<Owner: ViewModel>: Sendable {
    /// The member's name in the view model's JSON object.
    public let name: Name
    /// One sentence on what the value means, shown in the OpenAPI description.
    public let summary: String
    /// The shape of the encoded value.
    public let schema: JSONSchema
    /// The value as JSON text.
    let encode: @Sendable (Owner) throws -> [UInt8]
    /// Which object posts the changes.
    let source: @Sendable (Owner) -> ObjectIdentifier
    /// Makes changes be posted on a center.
    let attach: @Sendable (Owner, NotificationCenter) -> Void

    /// Declares an output held in a constant.
    ///
    /// - Parameters:
    ///   - path: where the view model keeps it; the same object for the view model's whole life.
    ///   - summary: what the value means, one sentence.
    public init<Value: Codable & Sendable>(
        _ name: String, _ path: KeyPath<Owner, Constant<Value>> & Sendable, _ summary: String = ""
    ) {
        self.name = Name(declared: name)
        self.summary = summary
        schema = JSONSchema(of: Value.self)
        encode = { try JSON.encode($0[keyPath: path].value) }
        source = { $0[keyPath: path].id }
        attach = { owner, center in center.attach(owner[keyPath: path]) }
    }
}
