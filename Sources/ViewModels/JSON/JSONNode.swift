import Foundation

/// A JSON value as its text has it.
enum JSONNode {
    case null
    case boolean(Bool)
    case number(JSONNumber)
    /// Without its quotes and escapes.
    case string(String)
    case array([JSONNode])
    case object(Members)

    /// The members of an object, which remember what was asked for: the rest was sent in vain.
    final class Members {
        /// Up to so many are found by looking through them, which is faster than a dictionary.
        static let few = 8

        /// In the order of the text.
        let all: [(name: String, value: JSONNode)]
        /// Where each is, unless they are few.
        private let places: [MemberName: Int]
        /// Whether the object was looked into; in one that was not, any member is allowed.
        private(set) var isOpen = false
        private var asked: [String] = []
        private var isAsked: [Bool]

        init(_ members: [(name: String, value: JSONNode)]) {
            all = members
            isAsked = Array(repeating: false, count: members.count)
            places =
                members.count <= Self.few
                ? [:] : Dictionary(zip(members.lazy.map { MemberName($0.name) }, members.indices)) { first, _ in first }
        }

        /// In the order of the text.
        var names: [String] { all.map(\.name) }

        /// Looks at a member without asking for it.
        subscript(name: String) -> JSONNode? { place(of: name).map { all[$0].value } }

        /// Somebody looks into the object.
        func open() { isOpen = true }

        /// Asks for a member.
        func value(of name: String) -> JSONNode? {
            guard let place = place(of: name) else {
                if !asked.contains(name) { asked.append(name) }
                return nil
            }
            if !isAsked[place] { asked.append(name) }
            isAsked[place] = true
            return all[place].value
        }

        /// Whether nobody asked for a member.
        func isUnasked(_ name: String) -> Bool { place(of: name).map { !isAsked[$0] } ?? true }

        private func place(of name: String) -> Int? {
            let name = MemberName(name)
            return all.count <= Self.few ? all.firstIndex { MemberName($0.name) == name } : places[name]
        }

        fileprivate var unasked: Unasked? {
            guard isOpen else { return nil }
            for (place, member) in all.enumerated() {
                guard isAsked[place] else { return Unasked(asked: asked).within(member.name) }
                if let unasked = member.value.unasked { return unasked.within(member.name) }
            }
            return nil
        }
    }

    /// A member that was sent and that nobody asked for, although others of its object were.
    struct Unasked {
        /// The members that were asked for.
        let asked: [String]
        /// From it outwards: at its end a name is added without copying the others.
        private var trail: [String] = []

        fileprivate init(asked: [String]) { self.asked = asked }

        /// Where it is.
        var path: [String] { trail.reversed() }

        fileprivate consuming func within(_ name: String) -> Unasked {
            trail.append(name)
            return self
        }
    }

    /// The first of them, once the value was decoded.
    var unasked: Unasked? {
        switch self {
        case .object(let members): return members.unasked
        case .array(let elements):
            for (place, element) in elements.enumerated() {
                if let unasked = element.unasked { return unasked.within(String(place)) }
            }
            return nil
        case .null, .boolean, .number, .string: return nil
        }
    }
}

extension JSONNode {
    /// The value as JSON text, as the encoder writes it: compact, and the members of objects sorted.
    var text: [UInt8] {
        var text: [UInt8] = []
        append(to: &text)
        return text
    }

    private func append(to text: inout [UInt8]) {
        switch self {
        case .null: text.append(contentsOf: "null".utf8)
        case .boolean(let boolean): text.append(contentsOf: (boolean ? "true" : "false").utf8)
        case .number(let number): text.append(contentsOf: number.text)
        case .string(let string): text.append(contentsOf: JSON.bytes(of: string))
        case .array(let elements):
            text.append(UInt8(ascii: "["))
            for (index, element) in elements.enumerated() {
                if index > 0 { text.append(UInt8(ascii: ",")) }
                element.append(to: &text)
            }
            text.append(UInt8(ascii: "]"))
        case .object(let members):
            text.append(UInt8(ascii: "{"))
            for (index, name) in members.names.sorted(by: { $0.utf8.lexicographicallyPrecedes($1.utf8) }).enumerated() {
                if index > 0 { text.append(UInt8(ascii: ",")) }
                text.append(contentsOf: JSON.bytes(of: name))
                text.append(UInt8(ascii: ":"))
                members[name]?.append(to: &text)
            }
            text.append(UInt8(ascii: "}"))
        }
    }
}

/// A number as JSON text has it, with every digit: rounding must not make a whole number of one that is none.
struct JSONNumber {
    /// The text, by the grammar of RFC 8259, section 6.
    let text: ArraySlice<UInt8>

    /// The nearest number of the type; nil where that is infinite.
    func real<Number: BinaryFloatingPoint & LosslessStringConvertible>(as type: Number.Type) -> Number? {
        Number(String(decoding: text, as: UTF8.self)).flatMap { $0.isFinite ? $0 : nil }
    }

    /// The nearest decimal number; nil where that is too large.
    var decimal: Decimal? {
        Decimal(string: String(decoding: text, as: UTF8.self))
            // What is too small for it is none to Foundation.
            ?? (real(as: Double.self).map { $0.magnitude < 1e-100 } == true ? 0 : nil)
    }

    /// The whole number it is, however it is spelt (`1e2`, `10.0`); nil where it is none or the type does not hold it.
    func whole<Number: FixedWidthInteger>(as type: Number.Type) -> Number? {
        if let digits = plainDigits { return Number(exactly: digits) }
        guard let magnitude else { return nil }
        guard text.first == UInt8(ascii: "-"), magnitude > 0 else { return Number(exactly: magnitude) }
        // A type holds one more below zero than above.
        guard Number.isSigned, let number = Number(exactly: magnitude - 1) else { return nil }
        return -1 - number
    }

    /// The number, where it is no more than a few digits, as most are.
    private var plainDigits: Int? {
        guard text.count <= 18 else { return nil }
        var number = 0
        for byte in text {
            guard (0x30...0x39).contains(byte) else { return nil }
            number = number * 10 + Int(byte - 0x30)
        }
        return number
    }

    /// Without its sign, where it is a whole number of at most 128 bits.
    private var magnitude: UInt128? {
        let parts = text.split(maxSplits: 1, omittingEmptySubsequences: false) { $0 | 0x20 == UInt8(ascii: "e") }
        let places = parts[0].drop { $0 == UInt8(ascii: "-") }.split(separator: UInt8(ascii: "."))
        var digits = Array(places.joined().drop { $0 == Self.zero })
        guard !digits.isEmpty else { return 0 }
        let fraction = places.count == 2 ? places[1].count : 0
        // Beyond that, it has more digits or more places than a body has bytes.
        let exponent = parts.count == 2 ? Int(String(decoding: parts[1], as: UTF8.self)) : 0
        guard let exponent, exponent.magnitude < UInt(Int32.max) else { return nil }
        var zeros = exponent - fraction
        while digits.last == Self.zero {
            digits.removeLast()
            zeros += 1
        }
        guard zeros >= 0, digits.count + zeros <= Self.mostDigits else { return nil }
        return UInt128(String(decoding: digits + Array(repeating: Self.zero, count: zeros), as: UTF8.self))
    }

    private static let zero = UInt8(ascii: "0")
    private static let mostDigits = String(UInt128.max).utf8.count
}
