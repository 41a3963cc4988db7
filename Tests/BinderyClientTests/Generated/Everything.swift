// The view models of everything, for BinderyClient.
// Written by `everything client swift`: whoever changes it loses that when it is written again.
// swift-format-ignore-file

import BinderyClient
import Foundation

/// Values of
/// every shape.
public struct EveryShape: Presented {
    /// All of them, in one object.
    public let all: All
    public let payload: AllPayload
    /// One of a few.
    public let size: AllSize
    public let `in`: AllInner?
    public let momentOfIt: Date
    public let free: AnyJSON
    public static let presentation = Presentation<EveryShape>(
        "every-shape",
        ShownOutput("all", \.all),
        ShownOutput("payload", \.payload),
        ShownOutput("size", \.size),
        ShownOutput("in", \.`in`),
        ShownOutput("moment-of-it", \.momentOfIt),
        ShownOutput("free", \.free))
}

extension EveryShape {
    public enum AllSize: String, Codable, Hashable, Sendable {
        case small
        case L
        case `init`
        case _2 = "2"
    }

    public enum AllLevel: Int, Codable, Hashable, Sendable {
        case minus7 = -7
        case number1000 = 1000
    }

    public indirect enum AllPayload: Codable, Hashable, Sendable {
        case text(String)
        case pair(x: Int8, Date?)
        case nothing
    }

    public struct Tree: Codable, Hashable, Sendable {
        public var label: String
        public var children: [Tree]?

        public init(label: String, children: [Tree]? = nil) {
            self.label = label
            self.children = children
        }
    }

    public indirect enum Formula: Codable, Hashable, Sendable {
        case sum(Formula, Formula)
        case number(Int)
    }

    public final class Node: Codable, Hashable, Sendable {
        public let number: Int
        public let next: Node?

        public init(number: Int, next: Node? = nil) {
            self.number = number
            self.next = next
        }

        public static func == (left: Node, right: Node) -> Bool {
            left.number == right.number && left.next == right.next
        }

        public func hash(into hasher: inout Hasher) {
            hasher.combine(number)
            hasher.combine(next)
        }
    }

    public struct AllInner: Codable, Hashable, Sendable {
        public var title: String?
        public var self2: Int
        /// Whether it rains.
        public var inDoors: Bool

        public init(title: String? = nil, self2: Int, inDoors: Bool) {
            self.title = title
            self.self2 = self2
            self.inDoors = inDoors
        }

        private enum CodingKeys: String, CodingKey {
            case title = "title"
            case self2 = "self"
            case inDoors = "in-doors"
        }
    }

    public struct AllSpan: Codable, Hashable, Sendable {
        public var element0: Int
        public var element1: UInt

        public init(_ element0: Int, _ element1: UInt) {
            self.element0 = element0
            self.element1 = element1
        }

        public init(from decoder: any Decoder) throws {
            var list = try decoder.unkeyedContainer()
            element0 = try list.decode(Int.self)
            element1 = try list.decode(UInt.self)
        }

        public func encode(to encoder: any Encoder) throws {
            var list = encoder.unkeyedContainer()
            try list.encode(element0)
            try list.encode(element1)
        }
    }

    public struct All: Codable, Hashable, Sendable {
        public var text: String
        public var flag: Bool
        public var whole: Int
        public var byte: UInt8
        public var large: UInt
        public var widest: Int128
        public var real: Double
        public var short: Float
        public var money: Decimal
        public var moment: Date
        public var name: UUID
        public var page: URL
        public var bytes: Data
        public var size: AllSize
        public var level: AllLevel
        public var payload: AllPayload
        public var payloads: [AllPayload]
        public var tree: Tree
        public var formula: Formula
        public var node: Node
        public var inner: AllInner?
        public var inners: [AllInner]
        public var optional: [Int?]
        public var named: [String: Decimal]
        public var numbered: [Int: AllInner]
        public var span: AllSpan

        public init(text: String, flag: Bool, whole: Int, byte: UInt8, large: UInt, widest: Int128, real: Double, short: Float, money: Decimal, moment: Date, name: UUID, page: URL, bytes: Data, size: AllSize, level: AllLevel, payload: AllPayload, payloads: [AllPayload], tree: Tree, formula: Formula, node: Node, inner: AllInner? = nil, inners: [AllInner], optional: [Int?], named: [String: Decimal], numbered: [Int: AllInner], span: AllSpan) {
            self.text = text
            self.flag = flag
            self.whole = whole
            self.byte = byte
            self.large = large
            self.widest = widest
            self.real = real
            self.short = short
            self.money = money
            self.moment = moment
            self.name = name
            self.page = page
            self.bytes = bytes
            self.size = size
            self.level = level
            self.payload = payload
            self.payloads = payloads
            self.tree = tree
            self.formula = formula
            self.node = node
            self.inner = inner
            self.inners = inners
            self.optional = optional
            self.named = named
            self.numbered = numbered
            self.span = span
        }
    }
}

extension RemoteActing where Owner == EveryShape {
    /// Takes all of them.
    @discardableResult
    public func set(_ body: EveryShape.All, ifMatch cursor: RemoteCursor? = nil, key: String? = nil) async throws -> RemoteState<EveryShape> {
        try await act("set", body, ifMatch: cursor, key: key)
    }

    /// Begins anew.
    @discardableResult
    public func `init`(ifMatch cursor: RemoteCursor? = nil, key: String? = nil) async throws -> RemoteState<EveryShape> {
        try await act("init", ifMatch: cursor, key: key)
    }

    @discardableResult
    public func size(_ body: EveryShape.AllSize, ifMatch cursor: RemoteCursor? = nil, key: String? = nil) async throws -> RemoteState<EveryShape> {
        try await act("size", body, ifMatch: cursor, key: key)
    }
}

/// A part.
public struct EveryShapePartOfIt: Presented {
    /// One of a few.
    public let size: EveryShape.AllSize
    public let `in`: EveryShape.AllInner?
    public static let presentation = Presentation<EveryShapePartOfIt>(
        "every-shape", facet: "part-of-it",
        ShownOutput("size", \.size),
        ShownOutput("in", \.`in`))
}

/// Counts up and down, never below zero.
public struct Counter: Presented {
    /// The count in decimal digits.
    public let text: String
    /// Whether the down button can be pressed.
    public let enabled: Bool
    /// The opacity of the down button, 0.5 when it is disabled.
    public let alpha: Double
    public static let presentation = Presentation<Counter>(
        "counter",
        ShownOutput("text", \.text),
        ShownOutput("enabled", \.enabled),
        ShownOutput("alpha", \.alpha))
}

extension RemoteActing where Owner == Counter {
    /// Adds one.
    @discardableResult
    public func increment(ifMatch cursor: RemoteCursor? = nil, key: String? = nil) async throws -> RemoteState<Counter> {
        try await act("increment", ifMatch: cursor, key: key)
    }

    /// Takes one away.
    @discardableResult
    public func decrement(ifMatch cursor: RemoteCursor? = nil, key: String? = nil) async throws -> RemoteState<Counter> {
        try await act("decrement", ifMatch: cursor, key: key)
    }
}

/// Two parameters, of which a card shows one.
public struct Profile: Presented {
    /// The first parameter.
    public let paramA: Int
    /// The second parameter.
    public let paramB: String
    public static let presentation = Presentation<Profile>(
        "profile",
        ShownOutput("paramA", \.paramA),
        ShownOutput("paramB", \.paramB))
}

extension Profile {
    public struct Load: Codable, Hashable, Sendable {
        public var paramA: Int?
        public var paramB: String?

        public init(paramA: Int? = nil, paramB: String? = nil) {
            self.paramA = paramA
            self.paramB = paramB
        }
    }
}

extension RemoteActing where Owner == Profile {
    /// Sets what is given and leaves the rest.
    @discardableResult
    public func load(_ body: Profile.Load, ifMatch cursor: RemoteCursor? = nil, key: String? = nil) async throws -> RemoteState<Profile> {
        try await act("load", body, ifMatch: cursor, key: key)
    }
}

/// For the card, which must not see the first parameter.
public struct ProfileCard: Presented {
    /// The second parameter.
    public let paramB: String
    public static let presentation = Presentation<ProfileCard>(
        "profile", facet: "card",
        ShownOutput("paramB", \.paramB))
}

/// Says what is missing of an ID and a password.
public struct Login: Presented {
    /// What to tell the user, in the session's language.
    public let text: String
    /// The colour of the text; null before the first validation.
    public let color: Color?
    public static let presentation = Presentation<Login>(
        "login",
        ShownOutput("text", \.text),
        ShownOutput("color", \.color))
}

extension Login {
    public enum Color: String, Codable, Hashable, Sendable {
        case green
        case red
    }

    public struct Validate: Codable, Hashable, Sendable {
        public var id: String?
        public var password: String?

        public init(id: String? = nil, password: String? = nil) {
            self.id = id
            self.password = password
        }
    }
}

extension RemoteActing where Owner == Login {
    /// Checks an ID and a password; neither is kept.
    @discardableResult
    public func validate(_ body: Login.Validate, ifMatch cursor: RemoteCursor? = nil, key: String? = nil) async throws -> RemoteState<Login> {
        try await act("validate", body, ifMatch: cursor, key: key)
    }
}

public struct Lamp: Presented {
    public let lamp: Lamp2
    public static let presentation = Presentation<Lamp>(
        "lamp",
        ShownOutput("lamp", \.lamp))
}

extension Lamp {
    public enum Lamp2: String, Codable, Hashable, Sendable {
        case on
        case off
    }
}

extension RemoteActing where Owner == Lamp {
    @discardableResult
    public func turn(_ body: Lamp.Lamp2, ifMatch cursor: RemoteCursor? = nil, key: String? = nil) async throws -> RemoteState<Lamp> {
        try await act("turn", body, ifMatch: cursor, key: key)
    }
}
