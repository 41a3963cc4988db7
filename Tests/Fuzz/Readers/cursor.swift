// seed: k3Qm7w.43
// seed: _.18446744073709551615
import Foundation
import Sessions

/// ``Cursor`` takes what the grammar of HTTP's contract says, and writes it as it came.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = Array(UnsafeBufferPointer(start: start, count: count))
    guard let text = String(validating: bytes, as: UTF8.self) else { return 0 }
    let cursor = Cursor(text)
    precondition((cursor != nil) == isCursor(bytes), "only one of the two takes it")
    guard let cursor else { return 0 }
    precondition(Array(cursor.description.utf8) == bytes, "it is written otherwise than it came")
    precondition(Cursor(epoch: cursor.epoch, seq: cursor.seq) == cursor)
    precondition(cursor.entityTag == "\"\(text)\"", "its entity tag is another text")
    return 0
}

/// 1 to 16 characters of base64url, a dot, a number of 64 bits without zeros in front.
private func isCursor(_ bytes: [UInt8]) -> Bool {
    let parts = bytes.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    guard parts.count == 2, (1...16).contains(parts[0].count), (1...20).contains(parts[1].count) else { return false }
    let alphabet = Set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)
    guard parts[0].allSatisfy(alphabet.contains), parts[1].allSatisfy(Set("0123456789".utf8).contains) else {
        return false
    }
    if parts[1].count > 1, parts[1].first == UInt8(ascii: "0") { return false }
    // As texts of the same length, numbers compare as texts do.
    let largest = Array("18446744073709551615".utf8)
    return parts[1].count < 20 || !largest.lexicographicallyPrecedes(parts[1])
}
