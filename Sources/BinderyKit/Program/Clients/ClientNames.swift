/// Names of a client's code, made from those of a declaration: letters and digits alone, no word of the language, each once.
struct ClientNames {
    private var taken: Set<String>

    /// - Parameter taken: names that mean something else where these are to stand.
    init(taken: Set<String> = []) { self.taken = taken }

    /// The name of a type: `CounterStream` for `counter-stream`.
    mutating func type(_ name: String) -> String { unique(Self.joined(name, isType: true)) }

    /// The name of a member: `counterStream` for `counter-stream`, and what is a name already as it is.
    mutating func member(_ name: String) -> String { unique(Self.joined(name, isType: false)) }

    /// The name, or the first of `name2`, `name3`, … that is free.
    private mutating func unique(_ name: String) -> String {
        var free = name
        var number = 2
        while !taken.insert(free).inserted {
            free = "\(name)\(number)"
            number += 1
        }
        return free
    }

    private static func joined(_ name: String, isType: Bool) -> String {
        let words = name.split { !($0.isASCII && ($0.isLetter || $0.isNumber || $0 == "_")) }.map(String.init)
        let joined = words.enumerated().map { place, word in
            place > 0 || isType ? word.prefix(1).uppercased() + word.dropFirst() : word
        }.joined()
        guard let first = joined.first else { return isType ? "Empty" : "empty" }
        return first.isNumber ? "_\(joined)" : joined
    }

    /// The element of a list, named after it: `Order` for `Orders`.
    static func element(of list: String) -> String {
        list.hasSuffix("s") && !list.hasSuffix("ss") && list.count > 1 ? String(list.dropLast()) : list + "Element"
    }
}

extension Array where Element == String {
    /// Each line that is not empty so many levels further in.
    func indented(_ levels: Int = 1) -> [String] {
        map { $0.isEmpty ? $0 : String(repeating: "    ", count: levels) + $0 }
    }
}
