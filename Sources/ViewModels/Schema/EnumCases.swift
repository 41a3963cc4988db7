import Foundation

/// The values of an enumeration whose cases carry nothing, also where it does not list them by `CaseIterable`.
///
/// The texts that such an enumeration is written as cannot be had from its type without its values. So they are made from
/// their tags: Swift's ABI says how many there are (docs/ABI/TypeMetadata.rst, "Enum Context Descriptors") and that the tags
/// of such cases count from 0, in the order in which they are declared, in the smallest integer (docs/ABI/TypeLayout.rst,
/// "C-Like Enums"). All that can be compared is: where it is not as expected, nothing is made.
enum EnumCases {
    /// Every value; nil for a type that is no such enumeration.
    static func all<Choice>(of type: Choice.Type) -> [Choice]? {
        guard let count = count(of: type), let width = width(of: count), MemoryLayout<Choice>.size == width else {
            return nil
        }
        return (0..<count).map { tag in
            withUnsafeTemporaryAllocation(byteCount: 8, alignment: 8) { memory in
                memory.storeBytes(of: UInt64(tag).littleEndian, as: UInt64.self)
                // Safe: the type has that many cases without payload, and as many bytes as their tags need.
                return memory.load(as: type)
            }
        }
    }

    /// The name of the case that a value is, as it is declared; nil for no enumeration, and for one that was built without names.
    static func name<Choice>(of value: Choice) -> String? { enumCaseName(value).map(String.init(cString:)) }

    /// Whether the type is an enumeration, and no optional.
    static func isEnum(_ type: any Any.Type) -> Bool { kind(of: type) == enumeration }

    /// Whether any of an enumeration's cases carries something.
    static func carry(_ type: any Any.Type) -> Bool { counts(of: type)?.carrying ?? 0 > 0 }

    /// The kind of metadata that an enumeration has; an optional has another.
    private static let enumeration: UInt = 0x201

    private static func kind(of type: any Any.Type) -> UInt {
        // Safe: a metatype is a pointer to the type's metadata, which begins with a word that says its kind.
        unsafeBitCast(type, to: UnsafePointer<UInt>.self).pointee
    }

    /// How many cases the enumeration has; nil where any carries something.
    private static func count(of type: any Any.Type) -> Int? {
        guard let (carrying, count) = counts(of: type) else { return nil }
        return carrying == 0 && (1...65_536).contains(count) ? count : nil
    }

    /// How many cases carry something, and how many do not.
    private static func counts(of type: any Any.Type) -> (carrying: Int, others: Int)? {
        guard isEnum(type), MemoryLayout<UInt>.size == 8 else { return nil }
        // Safe: what is of that kind has a pointer to its descriptor as the second word, whose sixth and seventh words of 32
        // bits are the numbers of cases with and without payload.
        let descriptor = unsafeBitCast(type, to: UnsafePointer<UnsafeRawPointer>.self)[1]
        let carrying = Int(descriptor.load(fromByteOffset: 20, as: UInt32.self) & 0xFF_FFFF)
        return (carrying, Int(descriptor.load(fromByteOffset: 24, as: UInt32.self)))
    }

    /// In how many bytes the tags of so many cases are.
    private static func width(of count: Int) -> Int? { count == 1 ? 0 : count <= 256 ? 1 : 2 }
}

/// What the standard library prints a case by (stdlib/public/core/ReflectionMirror.swift), also where a type prints itself otherwise, as
/// coding keys do.
@_silgen_name("swift_EnumCaseName")
private func enumCaseName<Choice>(_ value: Choice) -> UnsafePointer<CChar>?
