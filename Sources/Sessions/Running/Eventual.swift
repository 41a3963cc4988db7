/// What is known at once, or takes an `await`.
///
/// Most of what is asked of a session is known, and is answered on the thread that asks; a task for each request would cost
/// more than the answer.
package enum Eventual<Value: Sendable>: Sendable {
    /// It is known.
    case now(Value)
    /// It has to be loaded or made first; called once at most, by whoever wants it.
    case later(@Sendable () async throws -> Value)

    /// The value, once it is known.
    ///
    /// - Throws: whatever keeps it from being known.
    package var value: Value {
        get async throws {
            switch self {
            case .now(let value): value
            case .later(let find): try await find()
            }
        }
    }

    /// What follows from the value, as soon as it is known.
    ///
    /// - Throws: what the closure throws, where the value is known.
    package func map<Result>(_ transform: @escaping @Sendable (Value) throws -> Result) throws -> Eventual<Result> {
        switch self {
        case .now(let value): .now(try transform(value))
        case .later(let find): .later { try transform(try await find()) }
        }
    }

    /// What follows from the value, which may take an `await` of its own.
    ///
    /// - Throws: what the closure throws, where the value is known.
    package func then<Result>(
        _ next: @escaping @Sendable (Value) throws -> Eventual<Result>
    ) throws -> Eventual<Result> {
        switch self {
        case .now(let value): try next(value)
        case .later(let find): .later { try await next(try await find()).value }
        }
    }
}
