import Foundation

/// The values a ``SchemaProbe`` makes up so that an `init(from:)` reads on.
enum SchemaBlank {
    static func of<Value>(_ type: Value.Type) -> Value? {
        let blank: Any? =
            switch type {
            case let type as any ExpressibleByStringLiteral.Type where type == String.self: ""
            case is Bool.Type: false
            case let type as any FixedWidthInteger.Type: type.init(truncatingIfNeeded: 0)
            case let type as any BinaryFloatingPoint.Type: type.init(0)
            case let type as any ExpressibleByNilLiteral.Type: type.init(nilLiteral: ())
            case let type as any BlankMaking.Type: type.blank
            case let type as any CaseIterable.Type: firstCase(of: type)
            default: nil
            }
        return blank as? Value
    }

    private static func firstCase<Choice: CaseIterable>(of type: Choice.Type) -> Any? { type.allCases.first }
}

private protocol BlankMaking { static var blank: Self { get } }
extension Array: BlankMaking { fileprivate static var blank: [Element] { [] } }
extension Dictionary: BlankMaking { fileprivate static var blank: [Key: Value] { [:] } }
// Of these, none can be read from an empty text.
extension Data: BlankMaking { fileprivate static var blank: Data { Data() } }
extension Decimal: BlankMaking { fileprivate static var blank: Decimal { 0 } }
extension UUID: BlankMaking { fileprivate static var blank: UUID { UUID() } }
extension URL: BlankMaking { fileprivate static var blank: URL { URL(filePath: "/") } }
