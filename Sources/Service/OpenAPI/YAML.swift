import Foundation

/// A YAML document (YAML 1.2) as a value: as much of it as an OpenAPI description needs.
indirect enum YAML: Equatable, Sendable {
    case text(String)
    case integer(Int)
    case boolean(Bool)
    /// JSON text, which is YAML too.
    case json([UInt8])
    case list([YAML])
    /// Members in the order in which they are written.
    case map([Member])

    struct Member: Equatable, Sendable {
        let key: String
        let value: YAML
    }

    static func map(_ members: KeyValuePairs<String, YAML>) -> YAML {
        .map(members.map { Member(key: $0.key, value: $0.value) })
    }

    /// The members of two maps, one after the other, or two texts as one.
    static func + (left: YAML, right: YAML) -> YAML {
        switch (left, right) {
        case (.map(let first), .map(let second)): .map(first + second)
        case (.text(let first), .text(let second)): .text(first + second)
        default: preconditionFailure("Only maps or texts are put together.")
        }
    }
}

extension YAML: ExpressibleByStringLiteral, ExpressibleByStringInterpolation {
    init(stringLiteral value: String) { self = .text(value) }
}

extension YAML: ExpressibleByIntegerLiteral, ExpressibleByBooleanLiteral {
    init(integerLiteral value: Int) { self = .integer(value) }
    init(booleanLiteral value: Bool) { self = .boolean(value) }
}

extension YAML: ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral {
    init(arrayLiteral elements: YAML...) { self = .list(elements) }
    init(dictionaryLiteral elements: (String, YAML)...) {
        self = .map(elements.map { Member(key: $0.0, value: $0.1) })
    }
}
