/// The name of an object's member, which is what it is by its bytes.
///
/// To a `String`, two spellings that Unicode calls equivalent are one, and U+212A is the letter K; to every other reader of
/// JSON they are two names (RFC 8259, section 8.3).
struct MemberName: Hashable {
    let text: String

    init(_ text: String) { self.text = text }

    static func == (left: MemberName, right: MemberName) -> Bool { left.text.utf8.elementsEqual(right.text.utf8) }

    func hash(into hasher: inout Hasher) {
        var text = text
        text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
    }
}
