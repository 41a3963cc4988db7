// getopt_long keeps its state in global variables; the command line is read once, before any other thread is there.
@preconcurrency import CGetopt
import Foundation

/// Reads `--name value` and `--name=value` by `getopt_long` (getopt(3)).
enum LongOptions {
    /// The options that were given, by their place in the list, with their values; one that needs none may have it
    /// behind an equals sign.
    ///
    /// - Throws: ``UsageError`` for an option that is not in the list or lacks its value, and for a word that is no
    ///   option.
    static func parse(
        _ program: any BinderyProgram.Type, _ arguments: [String],
        _ options: [(name: StaticString, needsValue: Bool)]
    ) throws -> [(index: Int, value: String?)] {
        var table = options.enumerated().map { index, entry in
            let value = entry.needsValue ? required_argument : optional_argument
            return option(name: cString(entry.name), has_arg: value, flag: nil, val: Int32(index + firstValue))
        }
        table.append(option())
        var words: [UnsafeMutablePointer<CChar>?] = ([program.name] + arguments).map { strdup($0) } + [nil]
        defer { words.forEach { free($0) } }
        var given: [(index: Int, value: String?)] = []
        // 0 makes glibc begin anew, so that a second parse is like the first; opterr 0 leaves the words to us.
        optind = 0
        opterr = 0
        while true {
            // The word that is read next. Afterwards optind tells nothing of it: behind a short option it may still point
            // at the same word.
            let word = words[max(1, Int(optind))].map { String(cString: $0) } ?? ""
            let value = getopt_long(Int32(words.count - 1), &words, "+:", table, nil)
            switch value {
            case -1:
                let rest = words[Int(optind)..<(words.count - 1)].compactMap { $0.map { String(cString: $0) } }
                guard let word = rest.first else { return given }
                throw UsageError("\(word.isEmpty ? "an empty word" : word) is not expected here; options begin with --")
            case Int32(UInt8(ascii: ":")):
                throw UsageError("\(word) needs a value")
            case Int32(firstValue)... where isWhole(word, options[Int(value) - firstValue].name):
                given.append((Int(value) - firstValue, optarg.map { String(cString: $0) }))
            default:
                throw UsageError("\(word) is not an option of serve; see \(program.name) --help")
            }
        }
    }

    /// Whether a word is an option's whole name: getopt_long takes the beginning of one, which another option may have
    /// tomorrow.
    private static func isWhole(_ word: String, _ name: StaticString) -> Bool {
        word.prefix { $0 != "=" } == "--\(name)"
    }

    /// Above every character that getopt_long may return for itself.
    private static let firstValue = 1000

    /// A StaticString's text ends with a zero byte and lives as long as the program.
    private static func cString(_ text: StaticString) -> UnsafePointer<CChar> {
        UnsafeRawPointer(text.utf8Start).assumingMemoryBound(to: CChar.self)
    }
}
