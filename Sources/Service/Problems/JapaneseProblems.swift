/// What the service says of its problems in Japanese.
///
/// A detail that names something, such as a header, is found by its English text. One that is not listed is said as its type
/// says it: it says less, and is Japanese all the same.
enum JapaneseProblems {
    /// Of a host's own, the title alone is the service's, where it is.
    static func text(of problem: ProblemWording.Occurrence, isOfHost: Bool) -> ProblemText? {
        if isOfHost { return titles[problem.type].map { ProblemText(title: $0, detail: problem.text.detail) } }
        guard var text = texts[problem.type] else { return nil }
        let detail = problem.text.detail
        if let found = details.lazy.compactMap({ $0.translation(of: detail) }).first { text.detail = found }
        return text
    }

    /// A text with gaps, `{}`, and what is said instead, with as many.
    struct Detail {
        private let parts: [Substring]
        private let translation: [Substring]

        init(_ english: String, _ japanese: String) {
            parts = Self.parts(of: english)
            translation = Self.parts(of: japanese)
            assert(translation.count == parts.count, "Each gap is filled.")
        }

        private static func parts(of text: String) -> [Substring] {
            text.split(separator: "{}", omittingEmptySubsequences: false)
        }

        /// Nil for another text.
        func translation(of text: String) -> String? {
            guard let first = parts.first, let last = parts.last, text.hasPrefix(first) else { return nil }
            guard parts.count > 1 else { return text == first ? String(translation[0]) : nil }
            var rest = text.dropFirst(first.count)
            var said = String(translation[0])
            for (part, next) in zip(parts, translation).dropFirst().dropLast() {
                guard let place = rest.firstRange(of: part) else { return nil }
                said += rest[..<place.lowerBound] + next
                rest = rest[place.upperBound...]
            }
            guard rest.hasSuffix(last), let end = translation.last else { return nil }
            return said + rest.dropLast(last.count) + end
        }
    }
}
