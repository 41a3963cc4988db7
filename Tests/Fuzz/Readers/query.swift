// seed: since=k3Qm7w.43&wait=0&topics=profile%2Fcard&a+b=%C3%A9&&=
@testable import HTTP

/// ``Query`` reads what a slow twin reads, and what is percent-encoded comes back as it was.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = UnsafeRawBufferPointer(start: start, count: count)
    let query = try? Query(parsing: bytes)
    let expected = twin(Array(bytes))
    precondition((query == nil) == (expected == nil), "only one of the two takes it")
    guard let query, let expected else { return 0 }
    // Unicode's equality of texts is wider than that of bytes: the names are compared as bytes.
    precondition(query.names.map { Array($0.utf8) } == expected.map { Array($0.name.utf8) }, "other names")
    for name in query.names {
        precondition(query[name] == expected.first { $0.name == name }?.value, "another value")
        precondition(query.values(of: name) == expected.filter { $0.name == name }.map(\.value), "other values")
    }
    let encoded = expected.map { encode($0.name) + [UInt8(ascii: "=")] + encode($0.value) }
    let again = Array(encoded.joined(separator: [UInt8(ascii: "&")]))
    precondition(again.withUnsafeBytes { try? Query(parsing: $0) } == query, "encoded and read again, it is another")
    return 0
}

/// The names and values, by the words of WHATWG URL, section 5.1.
private func twin(_ bytes: [UInt8]) -> [(name: String, value: String)]? {
    var pairs: [(name: String, value: String)] = []
    for part in bytes.split(separator: UInt8(ascii: "&")) {
        let halves = part.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
        guard let name = decode(Array(halves[0])), let value = decode(halves.count > 1 ? Array(halves[1]) : []) else {
            return nil
        }
        pairs.append((name, value))
    }
    return pairs
}

private func decode(_ bytes: [UInt8]) -> String? {
    var decoded: [UInt8] = []
    var place = 0
    while place < bytes.count {
        if bytes[place] == UInt8(ascii: "%") {
            let digits = String(decoding: bytes[(place + 1)...].prefix(2), as: UTF8.self)
            // A sign is a digit to UInt8.init, and to nobody else.
            guard digits.utf8.count == 2, digits.allSatisfy(\.isHexDigit), digits.utf8.allSatisfy({ $0 < 128 }),
                let byte = UInt8(digits, radix: 16)
            else { return nil }
            decoded.append(byte)
            place += 3
        } else {
            decoded.append(bytes[place] == UInt8(ascii: "+") ? 0x20 : bytes[place])
            place += 1
        }
    }
    return String(validating: decoded, as: UTF8.self)
}

private func encode(_ text: String) -> [UInt8] {
    let digits = Array("0123456789ABCDEF".utf8)
    return text.utf8.flatMap { [UInt8(ascii: "%"), digits[Int($0 >> 4)], digits[Int($0 & 15)]] }
}
