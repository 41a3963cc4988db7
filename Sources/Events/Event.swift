/// An event that an operator may want to know: a line of the log.
///
/// No field has text that a client wrote, unless the field's description says so.
public struct Event: Sendable, Hashable {
    /// The severity of an event.
    public enum Level: String, Sendable, CaseIterable, Comparable {
        /// Useful only for the search for a fault.
        case debug
        /// Normal work.
        case info
        /// A client was refused, or a limit is near.
        case warning
        /// A part of the server does not work.
        case error
        /// The process ends because of this.
        case critical

        /// A more severe level is greater.
        public static func < (left: Level, right: Level) -> Bool { left.priority > right.priority }

        /// The number of syslog(3): the smaller, the more severe.
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
        /// The severity.
        public let level: Level

        /// Describes a kind.
        public init(_ name: String, _ level: Level) { (self.name, self.level) = (name, level) }
    }

    /// The value of a field.
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
        /// Its value.
        public let value: Value
    }

    /// The kind of the event.
    public let kind: Kind
    /// The fields, in the order of the line.
    public let fields: [Field]

    /// Makes an event.
    ///
    /// - Parameter fields: a field without a value is left out.
    public init(_ kind: Kind, _ fields: KeyValuePairs<String, Value?> = [:]) {
        self.kind = kind
        self.fields = fields.compactMap { name, value in value.map { Field(name: name, value: $0) } }
    }

    /// The value of a field; nil if the event has no such field.
    public subscript(_ name: String) -> Value? { fields.first { $0.name == name }?.value }
}

extension Event.Kind {
    /// The server refused a client because a bound was reached or a resource ran out; or it could not keep a bound.
    package static let boundReached = Event.Kind("bound-reached", .warning)
}

extension Event.Value: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral {
    /// A text.
    public init(stringLiteral text: String) { self = .text(text) }

    /// A whole number.
    public init(integerLiteral number: Int) { self = .number(number) }
}

/// A log of events.
public protocol EventLog: AnyObject, Sendable {
    /// Records an event; any number of threads may call it at once, and it must not block.
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
/// It is no credential.
public struct SessionTag: Sendable, Hashable, CustomStringConvertible {
    /// Prevents that another process computes the digits of a session.
    private static let secret = UInt64.random(in: .min ... .max)

    /// Never 0.
    package let number: UInt64

    /// Takes the name as a number; nil for 0.
    package init?(_ number: UInt64) {
        guard number != 0 else { return nil }
        self.number = number
    }

    /// Makes the tag of the session with this identity.
    package init(of identity: String) {
        // The process has a random key for Hasher, unless SWIFT_DETERMINISTIC_HASHING is set. So the secret is added.
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
