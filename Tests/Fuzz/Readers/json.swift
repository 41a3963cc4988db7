// with: Tests/Fuzz/Readers/Twins/JSONTwin.swift
// seed: {"text":"0","enabled":false,"alpha":0.5,"a":[null,-1.5e+3,{}]}
// seed: ["\u00e9\n\"",[],[[1],2]]
// seed: "\ud83c\udf88 \u65E5\/\b\f\r\t"
// seed: [1e-9223372036854775808,0e9223372036854775807,-170141183460469231731687303715884105728,1.0e2]
// seed: "e\u0301\u0323\u0301\u0323"
import Foundation

@testable import ViewModels

/// The grammar takes what a slow twin takes, and reads the value that Foundation reads; and the plain encoders' text is
/// Foundation's to the byte.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = Array(UnsafeBufferPointer(start: start, count: count))
    checkPlain(bytes)
    do throws(JSONFault) {
        let node = try JSONGrammar.read(sent: bytes)
        precondition(JSONTwin.accepts(bytes), "the twin does not take it")
        checkNumbers(of: node)
        // Foundation refuses a number beyond any Double.
        if let object = try? JSONSerialization.jsonObject(with: Data(bytes), options: .fragmentsAllowed) {
            precondition(JSONTwin.isEqual(node, object), "JSONSerialization reads another value")
        }
    } catch {
        // JSON by the grammar, and refused all the same, since not every reader takes it for the same.
        precondition(
            error.isOfSoundText || error == .byteOrderMark || !JSONTwin.accepts(bytes), "the twin alone takes it")
    }
    return 0
}

/// A number that is whole is the same by each type that holds it.
private func checkNumbers(of node: JSONNode) {
    switch node {
    case .number(let number):
        let widest = number.whole(as: Int128.self)
        precondition(number.whole(as: Int64.self) == widest.flatMap { Int64(exactly: $0) })
        precondition(number.whole(as: UInt8.self) == widest.flatMap { UInt8(exactly: $0) })
        guard let widest, let real = number.real(as: Double.self) else { return }
        precondition(abs(real - Double(widest)) <= abs(real) * 1e-15, "a whole number is another real one")
    case .array(let elements): elements.forEach(checkNumbers)
    case .object(let members): members.names.compactMap { members[$0] }.forEach(checkNumbers)
    case .null, .boolean, .string: break
    }
}

extension JSONFault {
    fileprivate var isOfSoundText: Bool { if case .refused = self { true } else { false } }
}

/// The input as texts and numbers, by both encoders.
private func checkPlain(_ bytes: [UInt8]) {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.withoutEscapingSlashes, .sortedKeys]
    let texts = bytes.split(separator: 0, omittingEmptySubsequences: false).prefix(8).map {
        String(decoding: $0, as: UTF8.self)
    }
    for text in texts {
        guard let plain = text.plainJSON else { continue }
        precondition(Data(plain) == (try? encoder.encode(text)), "a text is written otherwise")
    }
    let bits = bytes.prefix(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    let whole = Int64(bitPattern: bits)
    for number in [Double(bitPattern: bits), Double(whole) / 2, Double(Int32(truncatingIfNeeded: whole)) / 4] {
        guard let plain = number.plainJSON else { continue }
        precondition(Data(plain) == (try? encoder.encode(number)), "a number is written otherwise")
    }
    let members = Members(texts: texts, number: Int(whole))
    guard let flat = FlatEncoder.encode(members) else { return }
    precondition(Data(flat) == (try? encoder.encode(members)), "an object is written otherwise")
}

/// An object whose keys and values the input names.
private struct Members: Encodable {
    let texts: [String]
    let number: Int

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        for (place, text) in texts.enumerated() {
            let key = Key(stringValue: text)
            switch place % 4 {
            case 0: try container.encode(texts[texts.count - 1 - place], forKey: key)
            case 1: try container.encode(number, forKey: key)
            case 2: try container.encode(number.isMultiple(of: 2), forKey: key)
            default: try container.encode(Double(number % 1000) / 2, forKey: key)
            }
        }
    }
}

private struct Key: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }

    init(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
}
