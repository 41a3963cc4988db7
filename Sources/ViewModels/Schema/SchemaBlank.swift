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
            case let type as any EmptyCollectionMaking.Type: type.empty
            case let type as any CaseIterable.Type: firstCase(of: type)
            default: nil
            }
        return blank as? Value
    }

    private static func firstCase<Choice: CaseIterable>(of type: Choice.Type) -> Any? { type.allCases.first }
}

private protocol EmptyCollectionMaking { static var empty: Self { get } }
extension Array: EmptyCollectionMaking { fileprivate static var empty: [Element] { [] } }
extension Dictionary: EmptyCollectionMaking { fileprivate static var empty: [Key: Value] { [:] } }
