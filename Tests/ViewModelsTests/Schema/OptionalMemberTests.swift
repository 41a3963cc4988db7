import Foundation
import Testing

@testable import ViewModels

@Suite("A member that may be missing beside some values of the others")
struct OptionalMemberTests {
    /// Both or none.
    struct Location: Codable {
        var latitude: Double?
        var longitude: Double?
        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            latitude = try container.decodeIfPresent(Double.self, forKey: .latitude)
            longitude = try container.decodeIfPresent(Double.self, forKey: .longitude)
            guard (latitude == nil) == (longitude == nil) else { throw CancellationError() }
        }
    }
    /// One of two at least.
    struct Contact: Codable {
        var mail: String?
        var phone: String?
        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            mail = try container.decodeIfPresent(String.self, forKey: .mail)
            phone = try container.decodeIfPresent(String.self, forKey: .phone)
            if mail == nil, phone == nil { throw CancellationError() }
        }
    }
    /// The same, of two kinds.
    struct Invitation<Guest: Codable>: Codable {
        var mail: String?
        var guest: Guest?
        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            mail = try container.decodeIfPresent(String.self, forKey: .mail)
            guest = try container.decodeIfPresent(Guest.self, forKey: .guest)
            if mail == nil, guest == nil { throw CancellationError() }
        }
    }
    /// One of three, and no other.
    struct Assignment: Codable {
        var user: UUID?
        var team: UUID?
        var queue: String?
        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            user = try container.decodeIfPresent(UUID.self, forKey: .user)
            team = try container.decodeIfPresent(UUID.self, forKey: .team)
            queue = try container.decodeIfPresent(String.self, forKey: .queue)
            guard [user != nil, team != nil, queue != nil].filter(\.self).count == 1 else { throw CancellationError() }
        }
    }
    /// Both or none, and more of the same within.
    struct Category: Codable {
        var children: [Category]
        var colour: String?
        var icon: String?
        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            children = try container.decode([Category].self, forKey: .children)
            colour = try container.decodeIfPresent(String.self, forKey: .colour)
            icon = try container.decodeIfPresent(String.self, forKey: .icon)
            guard (colour == nil) == (icon == nil) else { throw CancellationError() }
        }
    }
    /// A link, or more of the same within.
    struct MenuItem: Codable {
        var link: String?
        var items: [MenuItem]
        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            link = try container.decodeIfPresent(String.self, forKey: .link)
            items = try container.decodeIfPresent([MenuItem].self, forKey: .items) ?? []
            if link == nil, items.isEmpty { throw CancellationError() }
        }
    }
    /// One of three, by the kind.
    struct Visit: Codable {
        enum Kind: String, Codable { case call, meeting, letter }
        var kind: Kind
        var phone: String?
        var place: String?
        var address: [String]?
        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            kind = try container.decode(Kind.self, forKey: .kind)
            phone = try container.decodeIfPresent(String.self, forKey: .phone)
            place = try container.decodeIfPresent(String.self, forKey: .place)
            address = try container.decodeIfPresent([String].self, forKey: .address)
            let isThere = [Kind.call: phone != nil, .meeting: place != nil, .letter: address != nil]
            guard isThere.allSatisfy({ $0.value == ($0.key == kind) }) else { throw CancellationError() }
        }
    }
    /// Does not look for the second where the first is missing.
    struct Spot: Codable {
        var at: [Double]?
        var radius: Double?
        enum CodingKeys: CodingKey { case latitude, longitude, radius }
        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            if let latitude = try container.decodeIfPresent(Double.self, forKey: .latitude),
                let longitude = try container.decodeIfPresent(Double.self, forKey: .longitude)
            {
                at = [latitude, longitude]
            }
            radius = try container.decodeIfPresent(Double.self, forKey: .radius)
            guard at != nil || radius != nil else { throw CancellationError() }
        }
        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: CodingKeys.self)
            try container.encodeIfPresent(at?[0], forKey: .latitude)
            try container.encodeIfPresent(at?[1], forKey: .longitude)
            try container.encodeIfPresent(radius, forKey: .radius)
        }
    }
    /// A value, or one more of the same.
    final class Chain: Codable {
        var value: Int?
        var next: Chain?
        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            value = try container.decodeIfPresent(Int.self, forKey: .value)
            next = container.contains(.next) ? try container.decode(Chain?.self, forKey: .next) : nil
            guard value != nil || next != nil else { throw CancellationError() }
        }
    }
    /// A message is wanted only where it is off.
    struct Maintenance: Codable {
        var isOn: Bool
        var message: String?
        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            isOn = try container.decode(Bool.self, forKey: .isOn)
            message = try container.decodeIfPresent(String.self, forKey: .message)
            if !isOn, message == nil { throw CancellationError() }
        }
    }
    /// A reason is wanted only where it is off and late.
    struct Delay: Codable {
        var isOn: Bool
        var level: Int
        var reason: String?
        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            isOn = try container.decode(Bool.self, forKey: .isOn)
            level = try container.decode(Int.self, forKey: .level)
            reason = try container.decodeIfPresent(String.self, forKey: .reason)
            if isOn, level < 0, reason == nil { throw CancellationError() }
        }
    }
    /// Takes one of two at most, and looks at the first at once.
    struct Filter: Codable {
        var iban: String?
        var since: Date?
        var name: String
        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            iban = try container.decodeIfPresent(String.self, forKey: .iban)
            if let iban, iban.count != 22 { throw CancellationError() }
            since = try container.decodeIfPresent(Date.self, forKey: .since)
            guard iban == nil || since == nil else { throw CancellationError() }
            name = try container.decode(String.self, forKey: .name)
        }
    }
    /// Takes few values of each.
    struct Applicant: Codable {
        var age: Int?
        var mail: String?
        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            age = try container.decodeIfPresent(Int.self, forKey: .age)
            mail = try container.decodeIfPresent(String.self, forKey: .mail)
            if let age, !(18...99).contains(age) { throw CancellationError() }
            if let mail, !mail.contains("@") { throw CancellationError() }
        }
    }
    /// Read twice, once as what may be missing.
    struct Demanding: Codable {
        var first: UUID?
        var second: UUID
        enum CodingKeys: CodingKey { case id }
        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            first = try container.decodeIfPresent(UUID.self, forKey: .id)
            second = try container.decode(UUID.self, forKey: .id)
        }
        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: CodingKeys.self)
            try container.encode(second, forKey: .id)
        }
    }

    static let guest = [
        JSONSchema.Member("mail", .nullable(.string), isRequired: false),
        JSONSchema.Member("guest", .nullable(.formatted(.uuid)), isRequired: false),
    ]
    static let expectations = [
        SchemaTests.Expectation(
            Location.self, .object(["latitude", "longitude"].map { .init($0, .nullable(.double), isRequired: false) })),
        SchemaTests.Expectation(
            Contact.self, .object(["mail", "phone"].map { .init($0, .nullable(.string), isRequired: false) })),
        SchemaTests.Expectation(Invitation<UUID>.self, .object(guest)),
        SchemaTests.Expectation(
            Assignment.self,
            .object(
                ["user", "team"].map { .init($0, .nullable(.formatted(.uuid)), isRequired: false) }
                    + [.init("queue", .nullable(.string), isRequired: false)])),
        SchemaTests.Expectation(
            Maintenance.self,
            .object([.init("isOn", .boolean), .init("message", .nullable(.string), isRequired: false)])),
        SchemaTests.Expectation(
            Delay.self,
            .object([
                .init("isOn", .boolean), .init("level", .int), .init("reason", .nullable(.string), isRequired: false),
            ])),
        SchemaTests.Expectation(
            Filter.self,
            .object([
                .init("iban", .nullable(.string), isRequired: false),
                .init("since", .nullable(.date), isRequired: false),
                .init("name", .string),
            ])),
        SchemaTests.Expectation(
            Applicant.self,
            .object([
                .init("age", .nullable(.int), isRequired: false), .init("mail", .nullable(.string), isRequired: false),
            ])),
        SchemaTests.Expectation(
            Visit.self,
            .object([
                .init("kind", .oneOf(["call", "meeting", "letter"])),
                .init("phone", .nullable(.string), isRequired: false),
                .init("place", .nullable(.string), isRequired: false),
                .init("address", .nullable(.array(.string)), isRequired: false),
            ])),
        SchemaTests.Expectation(
            Spot.self,
            .object(["latitude", "longitude", "radius"].map { .init($0, .nullable(.double), isRequired: false) })),
        SchemaTests.Expectation(Demanding.self, .object([.init("id", .formatted(.uuid))])),
    ]

    @Test("is described as one that may be missing", arguments: expectations)
    func known(expectation: SchemaTests.Expectation) throws {
        #expect(try JSONSchema(of: expectation.type) == expectation.schema)
        #expect(throws: Never.self) { try FoundType.of(expectation.type).shown.get() }
    }

    @Test("is described so in a type that holds more of the same, too")
    func recursive() throws {
        #expect(try optionalMembers(of: Category.self) == ["colour", "icon"])
        #expect(try optionalMembers(of: MenuItem.self) == ["link", "items"])
        #expect(try optionalMembers(of: Chain.self) == ["value", "next"])
    }

    private func optionalMembers(of type: any Codable.Type) throws -> [String] {
        guard case .named(_, .object(let members)) = try JSONSchema(of: type) else { return [] }
        return members.filter { !$0.isRequired }.map(\.name)
    }
}
