// with: Sources/Service/Callers/Caller.swift
// seed: @a=b; bindery-session=AAAAAAAAAAAAAAAAAAAAAA; c=d
// seed: @session=no; session=AAAAAAAAAAAAAAAAAAAAAA
// seed: Abearer  AAAAAAAAAAAAAAAAAAAAAA
// seed: Abasic eDp5, Bearer AAAAAAAAAAAAAAAAAAAAAA
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
    let value = Array(text.utf8)
    // Nobody's, where it stands there alone with one word behind it.
    let words = value.split { $0 == 32 || $0 == 9 }
    let isBasic =
        manner & 2 == 0 && words.count == 2 && !value.contains(UInt8(ascii: ","))
        && value.prefix { $0 != 32 }.map { $0 | 0x20 } == Array("basic".utf8)
    let caller = try? Caller(
        Request(field: field, value: text, repeats: manner & 2 != 0), cookie: CookieName(isSecure: false))
    switch caller {
    case .cookie(let token)?:
        precondition(field == .cookie && Set(cookies("bindery-session", in: value)) == [Array(token.secret.utf8)])
    case .earlierCookie(let token)?:
        precondition(field == .cookie && cookies("bindery-session", in: value).isEmpty)
        precondition(cookies("session", in: value).first(where: isToken) == Array(token.secret.utf8))
    case .bearer(let token)?:
        precondition(field == .authorization && bearer(in: value) == Array(token.secret.utf8))
    case .anyone? where field == .cookie:
        let areNone = (cookies("bindery-session", in: value) + cookies("session", in: value).filter(isToken)).isEmpty
        precondition(areNone, "a token is overlooked")
    case .anyone?: precondition(isBasic, "a token is overlooked")
    case nil where manner & 2 != 0: return 0
    case nil:
        let shown = field == .cookie ? cookies("bindery-session", in: value) : [bearer(in: value) ?? []]
        precondition(!isBasic && !shown.isEmpty && (Set(shown).count > 1 || !isToken(shown[0])), "a token is refused")
        return 0
    }
    precondition(manner & 2 == 0, "a field that came twice is taken")
    precondition(caller?.isProven == (field == .authorization && !isBasic))
    return 0
}

private func isToken(_ word: [UInt8]) -> Bool { SessionToken(String(decoding: word, as: UTF8.self)) != nil }

/// The cookies of that name (RFC 6265, section 4.2.1), without the white space around them.
private func cookies(_ name: String, in value: [UInt8]) -> [[UInt8]] {
    value.split(separator: UInt8(ascii: ";")).compactMap { pair in
        let ink = pair.indices.filter { pair[$0] != 32 && pair[$0] != 9 }
        guard let first = ink.first, let last = ink.last, pair[first...].starts(with: "\(name)=".utf8) else {
            return nil
        }
        let start = first + name.utf8.count + 1
        return start <= last ? Array(pair[start...last]) : []
    }
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
