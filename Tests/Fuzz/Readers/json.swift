import Foundation

@testable import ViewModels

/// What the grammar takes is what Foundation's strict reader takes and reads as the same value; what is written again
/// is read as the same, and the plain encoders' text is the encoder's to the byte.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = Array(UnsafeBufferPointer(start: start, count: count))
    checkPlain(bytes)
    guard JSON.isWellFormed(bytes) else { return 0 }
    // A number that no Double holds is JSON, and Foundation's to refuse.
    guard let value = try? JSON.decode(JSONValue.self, from: bytes) else {
        precondition(bytes.contains { $0 | 0x20 == UInt8(ascii: "e") } || bytes.count > 300, "Foundation refuses it")
        return 0
    }
    let data = Data(bytes)
    if let object = try? JSONSerialization.jsonObject(with: data, options: .fragmentsAllowed), !holdsInfinity(value) {
        precondition(isEqual(value, object), "JSONSerialization reads another value")
    }
    return 0
}

/// The input as texts and numbers, by both encoders.
private func checkPlain(_ bytes: [UInt8]) {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.withoutEscapingSlashes, .sortedKeys]
    let parts = bytes.split(separator: 0, omittingEmptySubsequences: false).prefix(8)
    let texts = parts.map { String(decoding: $0, as: UTF8.self) }
    for text in texts {
        guard let plain = text.plainJSON else { continue }
        precondition(Data(plain) == (try? encoder.encode(text)), "a text is written otherwise")
    }
    let bits = bytes.prefix(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    for number in [Double(bitPattern: bits), Double(Int64(bitPattern: bits)) / 2, Double(Int32(truncatingIfNeeded: bits))] {
        guard let plain = number.plainJSON else { continue }
        precondition(Data(plain) == (try? encoder.encode(number)), "a number is written otherwise")
    }
    let members = Members(texts: texts, number: Int(Int64(bitPattern: bits)))
    guard let flat = FlatEncoder.encode(members) else { return }
    precondition(Data(flat) == (try? encoder.encode(members)), "an object is written otherwise")
}

/// An object whose keys and values the input names.
private struct Members: Encodable {
    let texts: [String]
    let number: Int

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: JSON.Key.self)
        for (place, text) in texts.enumerated() {
            let key = JSON.Key(text)
            switch place % 4 {
            case 0: try container.encode(texts[texts.count - 1 - place], forKey: key)
            case 1: try container.encode(number, forKey: key)
            case 2: try container.encode(number.isMultiple(of: 2), forKey: key)
            default: try container.encode(Double(number % 1000) / 2, forKey: key)
            }
        }
    }
}

private func holdsInfinity(_ value: JSONValue) -> Bool {
    switch value {
    case .number(let number): number.isInfinite
    case .array(let elements): elements.contains(where: holdsInfinity)
    case .object(let members): members.values.contains(where: holdsInfinity)
    default: false
    }
}

private func isEqual(_ value: JSONValue, _ object: Any) -> Bool {
    switch value {
    case .null: object is NSNull
    case .boolean(let boolean): (object as? NSNumber)?.boolValue == boolean
    // By way of a decimal number of 38 digits, which loses the last bits.
    case .number(let number): (object as? NSNumber).map { abs($0.doubleValue - number) <= abs(number) * 1e-14 } ?? false
    case .string(let text): object as? String == text
    case .array(let elements):
        (object as? [Any]).map { $0.count == elements.count && zip(elements, $0).allSatisfy(isEqual) } ?? false
    case .object(let members):
        (object as? [String: Any]).map { found in
            found.count == members.count && members.allSatisfy { name, value in found[name].map { isEqual(value, $0) } ?? false }
        } ?? false
    }
}
