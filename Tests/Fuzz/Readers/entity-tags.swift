// seed: "e.1", W/"e.2" ,, W/"a,b"
// seed: *
@testable import Service

/// ``EntityTags`` reads what a slow twin reads; what matches strongly matches weakly.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = Array(UnsafeBufferPointer(start: start, count: count))
    // What no head brings as a field's value is not read either (RFC 9110, section 5.5).
    guard bytes.allSatisfy({ $0 == 9 || ($0 >= 32 && $0 != 127) }) else { return 0 }
    guard let text = String(validating: bytes, as: UTF8.self) else { return 0 }
    let tags = try? EntityTags(text)
    let expected = twin(bytes)
    precondition((tags == nil) == (expected == nil), "only one of the two takes it")
    guard let tags, let expected else { return 0 }
    for tag in expected + [(opaque: Array("\"e.1\"".utf8), isWeak: false)] {
        let opaque = String(decoding: tag.opaque, as: UTF8.self)
        let isAny = expected.isEmpty
        let named = expected.filter { $0.opaque == tag.opaque }
        precondition(tags.matchWeakly(opaque) == (isAny || !named.isEmpty), "weakly otherwise")
        precondition(tags.matchStrongly(opaque) == (isAny || named.contains { !$0.isWeak }), "strongly otherwise")
    }
    return 0
}

/// `*`, told by no tags at all, or `1#entity-tag` (RFC 9110, sections 8.8.3 and 5.6.1); nil for neither.
private func twin(_ bytes: [UInt8]) -> [(opaque: [UInt8], isWeak: Bool)]? {
    let isSpace = { (byte: UInt8) in byte == 9 || byte == 32 }
    let trimmed = bytes.drop(while: isSpace).reversed().drop(while: isSpace).reversed()
    if Array(trimmed) == Array("*".utf8) { return [] }
    var tags: [(opaque: [UInt8], isWeak: Bool)] = []
    // A comma within a tag parts nothing.
    var isInTag = false
    let elements = bytes.split { byte in
        if byte == UInt8(ascii: "\"") { isInTag.toggle() }
        return byte == UInt8(ascii: ",") && !isInTag
    }
    for element in elements {
        var tag = Array(element.drop(while: isSpace).reversed().drop(while: isSpace).reversed())
        if tag.isEmpty { continue }
        let isWeak = tag.starts(with: "W/".utf8)
        if isWeak { tag.removeFirst(2) }
        guard tag.count >= 2, tag.first == UInt8(ascii: "\""), tag.last == UInt8(ascii: "\""),
            !tag.dropFirst().dropLast().contains(UInt8(ascii: "\""))
        else { return nil }
        tags.append((tag, isWeak))
    }
    return tags.isEmpty ? nil : tags
}
