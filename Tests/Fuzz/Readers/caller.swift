// with: Sources/Service/Callers/Caller.swift
// seed: @a=b; bindery-session=AAAAAAAAAAAAAAAAAAAAAA; c=d
// seed: Abearer  AAAAAAAAAAAAAAAAAAAAAA
import HTTP
import Sessions

/// ``Caller`` finds the cookie and the Bearer token that a slow twin finds, byte by byte, and refuses what it refuses.
///
/// The first byte says how the rest is sent. A ``Request`` cannot be made without a connection: a stand-in of this
/// module's, which shadows HTTP's, gives the two fields.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = UnsafeBufferPointer(start: start, count: count)
    guard let manner = bytes.first, let text = String(validating: bytes.dropFirst(), as: UTF8.self) else { return 0 }
    let field: RequestHeader = manner & 1 == 0 ? .cookie : .authorization
    let name = "bindery-session"
    let caller = try? Caller(Request(field: field, value: text, repeats: manner & 2 != 0), cookieName: name)
    guard manner & 2 == 0 else {
        precondition(caller == nil, "a field that came twice is taken")
        return 0
    }
    let value = Array(text.utf8)
    let expected = field == .cookie ? cookie(name, in: value) : .some(bearer(in: value) ?? [])
    switch caller {
    case .cookie(let token)?, .bearer(let token)?:
        precondition(expected.map { $0 == Array(token.secret.utf8) } ?? false, "another token")
        precondition(caller?.isProven == (field == .authorization))
    case .anyone?: precondition(expected == nil, "a token is overlooked")
    case nil:
        let isToken = expected.map { SessionToken(String(decoding: $0, as: UTF8.self)) != nil }
        precondition(isToken == false, "a token is refused")
    }
    return 0
}

/// The first cookie of that name (RFC 6265, section 4.2.1), to the white space.
private func cookie(_ name: String, in value: [UInt8]) -> [UInt8]? {
    for pair in value.split(separator: UInt8(ascii: ";")) {
        let words = pair.split(maxSplits: 1, omittingEmptySubsequences: true) { $0 == 32 || $0 == 9 }
        guard let word = words.first, word.starts(with: "\(name)=".utf8) else { continue }
        return Array(word.dropFirst(name.utf8.count + 1))
    }
    return nil
}

/// The scheme in any case, a space or more, one word (RFC 6750, section 2.1).
private func bearer(in value: [UInt8]) -> [UInt8]? {
    let words = value.split(separator: 32)
    guard words.count == 2, value.first != 32, words[0].map({ $0 | 0x20 }) == Array("bearer".utf8) else { return nil }
    return Array(words[1])
}

struct Request {
    let field: RequestHeader
    let value: String
    let repeats: Bool

    func header(_ name: RequestHeader) -> String? { name == field ? value : nil }
    func isRepeated(_ name: RequestHeader) -> Bool { name == field && repeats }
}

/// Stands in for the service's table: which problem it is does not matter here.
struct ProblemType {
    static let malformedHeader = ProblemType()
    static let sessionUnknown = ProblemType()

    func problem(_ detail: String = "") -> Problem { Problem("x", status: 400, title: "", detail: detail) }
}
