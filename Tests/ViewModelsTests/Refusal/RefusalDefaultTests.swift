import Testing

@testable import ViewModels

@Suite("The pointer to what is made of another member where it is missing")
struct RefusalDefaultTests {
    private func pointer<Input: Codable, Member>(
        _ member: (InputPlace<Input>) -> InputPlace<Member>, in input: Input
    ) -> String? {
        JSON.pointer(to: InputPlace.way(of: member(InputPlace(of: input, until: .now + .seconds(600)))))
    }

    /// Takes of what is missing none of the values that are tried, as is so with what is checked.
    struct Caller: Codable, Sendable {
        enum CodingKeys: String, CodingKey { case phone = "phone_number", mobile = "mobile_phone", comment = "text" }
        var phone: String?
        var mobile: String?
        var comment: String?
        init(phone: String? = nil) { (self.phone, mobile) = (phone, phone) }
        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            phone = try container.decodeIfPresent(String.self, forKey: .phone)
            mobile = try container.decodeIfPresent(String.self, forKey: .mobile)
            comment = try container.decodeIfPresent(String.self, forKey: .comment)
            guard mobile?.hasPrefix("+") != false else { throw CancellationError() }
            mobile = mobile ?? phone
        }
        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: CodingKeys.self)
            try container.encodeIfPresent(phone, forKey: .phone)
            if mobile != phone { try container.encodeIfPresent(mobile, forKey: .mobile) }
            try container.encodeIfPresent(comment, forKey: .comment)
        }
    }
    /// Takes the greater of two, and says nothing of what it has.
    struct Stay: Codable, Sendable, CustomReflectable {
        enum CodingKeys: String, CodingKey { case start = "from", end = "until" }
        var start: Int
        var end: Int
        init(start: Int) { (self.start, end) = (start, start) }
        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            start = try container.decode(Int.self, forKey: .start)
            end = max(try container.decodeIfPresent(Int.self, forKey: .end) ?? start, start)
        }
        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: CodingKeys.self)
            try container.encode(start, forKey: .start)
            if end != start { try container.encode(end, forKey: .end) }
        }
        var customMirror: Mirror { Mirror(self, children: []) }
    }

    @Test("is not that of the other, whether what is missing is checked or held to bounds")
    func checked() {
        for caller in [Caller(), Caller(phone: "1")] {
            #expect(pointer(\.mobile, in: caller) == "#")
            #expect(pointer(\.comment, in: caller) == "#/text")
        }
        #expect(pointer(\.end, in: Stay(start: 5000)) == "#")
    }

    struct Place: Codable, Sendable, Equatable { var street = "a", city = "b" }
    /// Has the place of one among its own members.
    struct Freight: Codable, Sendable {
        enum CodingKeys: String, CodingKey { case payer = "bill" }
        var receiver: Place
        var payer: Place
        init() { (receiver, payer) = (Place(), Place()) }
        init(from decoder: any Decoder) throws {
            receiver = try Place(from: decoder)
            let container = try decoder.container(keyedBy: CodingKeys.self)
            let payer = try container.decodeIfPresent(Place.self, forKey: .payer)
            self.payer = payer ?? receiver
            guard self.payer.city == receiver.city else { throw CancellationError() }
        }
        func encode(to encoder: any Encoder) throws {
            try receiver.encode(to: encoder)
            var container = encoder.container(keyedBy: CodingKeys.self)
            if payer != receiver { try container.encode(payer, forKey: .payer) }
        }
    }

    @Test("is not that of a member of the other either, where its members stand among those of the object")
    func flattened() {
        #expect(pointer(\.payer, in: Freight()) == "#")
        #expect(pointer(\.payer.city, in: Freight()) == "#")
    }

    /// Four digits.
    struct Code: Codable, Sendable, SchemaDescribing {
        static let jsonSchema = JSONSchema.string
        static let jsonExample = "\"3011\""
        var text: String
        init(_ text: String) { self.text = text }
        init(from decoder: any Decoder) throws {
            text = try decoder.singleValueContainer().decode(String.self)
            guard text.count == 4, text.allSatisfy(\.isNumber) else { throw CancellationError() }
        }
        func encode(to encoder: any Encoder) throws {
            var container = encoder.singleValueContainer()
            try container.encode(text)
        }
    }
    struct Post: Codable, Sendable {
        enum CodingKeys: String, CodingKey { case zip = "postcode", box = "zip", name }
        var zip: Code?
        var box: Code?
        var name: String?
    }
    struct Bill: Codable, Sendable {
        enum CodingKeys: String, CodingKey { case total = "amount", sum = "total" }
        var total: Int
        var sum: Int
        init(_ sum: Int) { (total, self.sum) = (sum, sum) }
        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            total = try container.decode(Int.self, forKey: .total)
            sum = try container.decode(Int.self, forKey: .sum)
            guard total == sum else { throw CancellationError() }
        }
    }
    struct Card: Codable, Sendable {
        enum CodingKeys: String, CodingKey { case phone = "mobile", landline = "phone" }
        var phone: String?
        var landline: Code?
    }

    @Test("is not that of a member which has this one's name, and takes no other value, but is another's")
    func named() {
        #expect(pointer(\.zip, in: Post()) == "#")
        #expect(pointer(\.name, in: Post()) == "#/name")
        #expect(pointer(\.zip, in: Post(zip: Code("3011"), box: Code("3011"))) == "#/postcode")
        #expect(pointer(\.zip, in: Post(zip: Code("3011"), box: Code("3012"))) == "#/postcode")
        #expect(pointer(\.total, in: Bill(300)) == "#")
        #expect(pointer(\.phone, in: Card()) == "#/mobile")
    }
}
