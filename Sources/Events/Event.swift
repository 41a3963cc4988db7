/// Something that happened and that an operator may want to know of: a line of the log.
///
/// No field has text that a client wrote, unless the field's description says so.
public struct Event: Sendable, Hashable {
    /// How much it matters.
    public enum Level: String, Sendable, CaseIterable, Comparable {
        /// Useful while you look for a fault, and too much otherwise.
        case debug
        /// As it should be.
        case info
        /// Somebody was refused, or something is near its end.
        case warning
        /// Something does not work that should.
        case error
        /// The process ends because of it.
        case critical

        /// The later in the list, the greater.
        public static func < (left: Level, right: Level) -> Bool { left.priority > right.priority }

        /// As syslog(3) counts: the less, the more it matters.
        private var priority: Int {
            switch self {
            case .debug: 7
            case .info: 6
            case .warning: 4
            case .error: 3
            case .critical: 2
            }
        }
    }

    /// A kind of event: docs/events.md lists all kinds with their fields.
    public struct Kind: Sendable, Hashable {
        /// The name, as `bound-reached`.
        public let name: String
        /// How much it matters.
        public let level: Level

        /// Describes a kind.
        public init(_ name: String, _ level: Level) { (self.name, self.level) = (name, level) }
    }

    /// What a field says.
    public enum Value: Sendable, Hashable {
        /// A text.
        case text(String)
        /// A whole number.
        case number(Int)
        /// Several texts.
        case list([String])
    }

    /// One field of an event.
    public struct Field: Sendable, Hashable {
        /// Its name.
        public let name: String
        /// What it says.
        public let value: Value
    }

    /// What happened.
    public let kind: Kind
    /// The event's facts, in the order of the line.
    public let fields: [Field]

    /// Describes what happened.
    ///
    /// - Parameter fields: a field without a value is left out.
    public init(_ kind: Kind, _ fields: KeyValuePairs<String, Value?> = [:]) {
        self.kind = kind
        self.fields = fields.compactMap { name, value in value.map { Field(name: name, value: $0) } }
    }

    /// The value of a field; nil where the event has no such field.
    public subscript(_ name: String) -> Value? { fields.first { $0.name == name }?.value }
}

extension Event.Kind {
    /// Somebody was refused because a bound was reached, or what the machine has ran out; or a bound could not be kept.
    package static let boundReached = Event.Kind("bound-reached", .warning)
}

extension Event.Value: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral {
    /// A text.
    public init(stringLiteral text: String) { self = .text(text) }

    /// A whole number.
    public init(integerLiteral number: Int) { self = .number(number) }
}

/// Is told of what happens.
public protocol EventLog: AnyObject, Sendable {
    /// Records an event, on any thread, several at a time: it must not block.
    ///
    /// Events of one kind may come by the thousand; the log limits their rate.
    func record(_ event: Event)

    /// Writes all recorded events before it returns.
    ///
    /// A server calls it after its stop, outside of its event loops, so it may block for a moment.
    func flush()
}

extension EventLog {
    /// Does nothing.
    public func flush() {}
}

/// The name of a session in the log: 16 hexadecimal digits, the same for one session while the process runs.
///
/// It opens nothing.
public struct SessionTag: Sendable, Hashable, CustomStringConvertible {
    /// Of which another process cannot know what it has to do with the digits.
    private static let secret = UInt64.random(in: .min ... .max)

    /// Never 0.
    package let number: UInt64

    /// Takes the name as a number; nil for 0.
    package init?(_ number: UInt64) {
        guard number != 0 else { return nil }
        self.number = number
    }

    /// Names the session that is kept under an identity.
    package init(of identity: String) {
        // SipHash, keyed by the process unless somebody turned that off; hence the secret.
        var hasher = Hasher()
        hasher.combine(Self.secret)
        hasher.combine(identity)
        number = max(1, UInt64(bitPattern: Int64(hasher.finalize())))
    }

    /// The digits.
    public var description: String {
        let digits = String(number, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }
}
