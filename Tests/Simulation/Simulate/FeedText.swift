/// Reads the feed's answers as a client does.
enum FeedText {
    /// What changed, by the numbers of ``BuildFacts``, in the order of the text.
    static func changes(in json: [UInt8]) -> [(output: Int, value: [UInt8])] {
        var changes: [(Int, [UInt8])] = []
        var rest = json[...]
        while let viewModel = text(after: "\"viewModel\":\"", in: &rest),
            let output = text(after: "\"output\":\"", in: &rest)
        {
            guard let place = BuildFacts.number(of: viewModel, output), skip("\"value\":", in: &rest) else { continue }
            changes.append((place, value(in: &rest)))
        }
        return changes
    }

    private static func skip(_ mark: StaticString, in rest: inout ArraySlice<UInt8>) -> Bool {
        let mark = UnsafeBufferPointer(start: mark.utf8Start, count: mark.utf8CodeUnitCount)
        while rest.count >= mark.count {
            if rest.starts(with: mark) {
                rest = rest.dropFirst(mark.count)
                return true
            }
            rest = rest.dropFirst()
        }
        return false
    }

    private static func text(after mark: StaticString, in rest: inout ArraySlice<UInt8>) -> String? {
        guard skip(mark, in: &rest), let end = rest.firstIndex(of: UInt8(ascii: "\"")) else { return nil }
        defer { rest = rest[end...] }
        return String(decoding: rest[..<end], as: UTF8.self)
    }

    private static func value(in rest: inout ArraySlice<UInt8>) -> [UInt8] {
        var depth = 0
        var isText = false
        let end = rest.firstIndex { byte in
            switch byte {
            case UInt8(ascii: "\""): isText.toggle()
            case UInt8(ascii: "[") where !isText: depth += 1
            case UInt8(ascii: "]") where !isText: depth -= 1
            case UInt8(ascii: "}") where !isText && depth == 0: return true
            default: break
            }
            return false
        }
        defer { rest = rest[(end ?? rest.endIndex)...] }
        return Array(rest[..<(end ?? rest.endIndex)])
    }
}
