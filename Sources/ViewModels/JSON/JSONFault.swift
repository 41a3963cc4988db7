/// Why text is not JSON that can be trusted to mean one thing.
enum JSONFault: Error, Hashable {
    /// There is nothing but white space.
    case empty
    /// It begins with U+FEFF, which RFC 8259, section 8.1, forbids.
    case byteOrderMark
    /// It is no UTF-8.
    case notUTF8
    /// It ends before its value does.
    case unfinished
    /// What stands at this byte, counted from 1, cannot stand there.
    case unexpected(byte: Int)
    /// It is JSON by the grammar, and refused all the same for what is at this path.
    case refused(Refusal, at: [String])

    /// What the grammar allows and not every reader takes for the same, or takes at all.
    enum Refusal: Hashable {
        /// A text escapes half of a surrogate pair, which is no character (RFC 8259, section 8.2).
        case halfCharacter
        /// A text has more than ``JSONGrammar/mostMarks`` combining marks in a row.
        case tooManyMarks
        /// The names with combining marks are longer in all than ``JSONGrammar/mostMarkedNameBytes``.
        case tooLongMarkedNames
        /// Lists and objects are nested deeper than ``JSONGrammar/deepest``.
        case tooDeep
        /// An object has a member twice: readers differ in which counts (RFC 8259, section 4).
        case doubled
    }
}
