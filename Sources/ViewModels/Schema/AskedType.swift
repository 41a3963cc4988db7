import Locking

/// Whose `init(from:)` or `encode(to:)` runs while a shape is found, for what a crash tells: it may trap on what is made up.
package enum AskedType {
    private static let witness = Lock<(@Sendable (UnsafePointer<CChar>?) -> UnsafePointer<CChar>?)?>(nil)

    /// Has the name of such a type told, on the thread that runs its code.
    ///
    /// - Parameter tell: keeps a text, or nil for none, until the next one of the same thread, and returns the one before.
    package static func tell(_ tell: @escaping @Sendable (UnsafePointer<CChar>?) -> UnsafePointer<CChar>?) {
        witness.withLock { $0 = tell }
    }

    static func name<Result>(_ type: any Any.Type, _ code: () throws -> Result) rethrows -> Result {
        guard let tell = witness.withLock(\.self) else { return try code() }
        // A name between backticks may have a quotation mark (SE-0451), and the text is not escaped.
        return try SchemaFault.name(of: type).replacing("\"", with: "'").replacing(", ", with: ",").withCString {
            name in
            let former = tell(name)
            defer { _ = tell(former) }
            return try code()
        }
    }

    /// The value that a made-up text stands for; nil where the type does not take it.
    static func read<Value: Decodable>(_ type: Value.Type, from text: String) -> Value? {
        name(type) { try? JSON.decode(type, from: Array(text.utf8)) }
    }
}
