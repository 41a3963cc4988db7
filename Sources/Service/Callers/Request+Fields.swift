import HTTP

extension Request {
    /// The value of a field that stands for one thing; nil where there is none.
    ///
    /// Whoever reads such a field reads it by this: of two, the one that counts for us may be the one that somebody before
    /// us did not look at.
    ///
    /// - Parameter spelling: the field's name, for whoever sent it twice.
    /// - Throws: ``Problem``, 400, where the field came more than once.
    func single(_ name: RequestHeader, _ spelling: String) throws -> String? {
        guard !isRepeated(name) else {
            throw ProblemType.malformedHeader.problem("Send one \(spelling) header, not two. Nothing was begun.")
        }
        return header(name)
    }
}

extension Sequence<UInt8> {
    /// Whether these bytes are a word, in any case of ASCII.
    ///
    /// Of what a caller sent, `lowercased()` costs the whole of Unicode's tables, and there are letters beyond ASCII whose
    /// lower case is within it.
    ///
    /// - Parameter word: in lower case.
    func spell(_ word: String) -> Bool {
        elementsEqual(word.utf8) { byte, letter in
            (UInt8(ascii: "A")...UInt8(ascii: "Z") ~= byte ? byte | 0x20 : byte) == letter
        }
    }
}
