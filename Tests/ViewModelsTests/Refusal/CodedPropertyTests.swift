import Locking
import Testing

@testable import ViewModels

@Suite("The member that a property is coded by")
struct CodedPropertyTests {
    typealias Line = RefusalPointerTests.Line
    typealias Page = CodingKeysTests.Page

    struct Post: Codable, Sendable {
        enum CodingKeys: String, CodingKey {
            case zip = "postcode", box = "zip", postcode = "box", note, isOpen = "open"
        }
        var zip: String?
        var box: String?
        var postcode: String?
        var note = ""
        var isOpen = true
    }

    @Test("has the name that the coding key with the property's name has, whatever other members are called")
    func renamed() {
        for post in [Post(), Post(zip: "a", box: "a", postcode: "a")] {
            #expect(pointer(\.zip, in: post) == "#/postcode")
            #expect(pointer(\.box, in: post) == "#/zip")
            #expect(pointer(\.postcode, in: post) == "#/box")
            #expect(pointer(\.note, in: post) == "#/note")
            #expect(pointer(\.isOpen, in: post) == "#/open")
        }
    }

    /// Has what is missing from another, and does not write it.
    struct Booking: Codable, Sendable {
        enum CodingKeys: String, CodingKey { case start = "from", end = "until", nights }
        var start: Int
        var end: Int
        var nights: Int
        var isLong: Bool
        init(start: Int) { (self.start, end, nights, isLong) = (start, start, 0, false) }
        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            start = try container.decode(Int.self, forKey: .start)
            end = try container.decodeIfPresent(Int.self, forKey: .end) ?? start
            guard start <= end else { throw CancellationError() }
            nights = end - start
            isLong = nights > 20
        }
        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: CodingKeys.self)
            try container.encode(start, forKey: .start)
            if end != start { try container.encode(end, forKey: .end) }
        }
    }

    @Test(
        "is the property's own where it is missing and another is taken, and none where it is coded by none or never read"
    )
    func missing() {
        #expect(pointer(\.start, in: Booking(start: 5000)) == "#/from")
        #expect(pointer(\.end, in: Booking(start: 5000)) == "#/until")
        #expect(pointer(\.nights, in: Booking(start: 5000)) == "#")
        #expect(pointer(\.isLong, in: Booking(start: 5000)) == "#")
    }

    /// Has things that say where they are.
    struct Shelf: Codable, Sendable, SchemaDescribing {
        struct Thing: Codable, Sendable {
            enum CodingKeys: String, CodingKey { case size = "thing_size" }
            var path: [String]
            var size: Int
            init(from decoder: any Decoder) throws {
                path = decoder.codingPath.map { "\($0.stringValue) \($0.intValue ?? -1)" }
                precondition(["lists -1", "007 7", "1 1"] == path)
                size = try decoder.container(keyedBy: CodingKeys.self).decode(Int.self, forKey: .size)
            }
            func encode(to encoder: any Encoder) throws {
                var container = encoder.container(keyedBy: CodingKeys.self)
                try container.encode(size, forKey: .size)
            }
        }
        static let jsonSchema = JSONSchema.object([
            .init("lists", .dictionary(.array(.nullable(.object([.init("thing_size", .integer(0...9))])))))
        ])
        var lists: [String: [Thing?]]
    }

    @Test("is found where a type reads where it is, which is as in the action's input")
    func path() throws {
        let body = try JSONGrammar.read(Array(#"{"lists": {"007": [null, {"thing_size": 1}]}}"#.utf8))
        let shelf = try JSONNodeDecoder(node: body).decode(Shelf.self)
        #expect(pointer(\.lists["007"][1].size, in: shelf) == "#/lists/007/1/thing_size")
    }

    enum Only: String, Codable { case line }
    enum One: Int, Codable { case one = 1 }
    struct Purchase: Codable, Sendable {
        var version = One.one
        var quantity: Int
        var sku = "a"
    }
    struct Entry: Codable, Sendable {
        var kind = Only.line
        var accepted = Only.line
        var type = One.one
        var name: String
    }
    struct Parcel: Codable, Sendable {
        var kind = Only.line
        var number = "a"
        var note = "a"
        var line = Line(sku: "a")
        var amount = 1
    }
    indirect enum Filter: Codable, Sendable { case all, not(Filter) }
    class Shape: Codable {
        var side = 1
        init() {}
    }
    final class Cube: Shape {}
    struct Drawing: Codable {
        var from: Shape
        var to: Shape
    }
    /// Says that each of two members is the other.
    struct Masked: Codable, Sendable, CustomReflectable {
        var kind = "a"
        var type = "b"
        var customMirror: Mirror { Mirror(self, children: ["type": kind, "kind": type]) }
    }

    @Test(
        "is the property's where one that takes no room is stored before it, and none where the structure says itself what it has"
    )
    func told() {
        #expect(pointer(\.quantity, in: Purchase(quantity: 1)) == "#/quantity")
        #expect(pointer(\.version, in: Purchase(quantity: 1)) == "#/version")
        #expect(pointer(\.name, in: Entry(name: "line")) == "#/name")
        #expect(pointer(\.type, in: Entry(name: "line")) == "#/type")
        #expect(pointer(\.accepted, in: Entry(name: "line")) == "#")
        #expect(pointer(\.kind, in: Masked()) == "#")
        #expect(pointer(\.number, in: Parcel()) == "#")
        #expect(pointer(\.note, in: Parcel()) == "#/note")
        #expect(pointer(\.amount, in: Parcel()) == "#/amount")
        #expect(pointer({ $0[dynamicMember: \.line.count] }, in: Parcel()) == "#")
        #expect(pointer({ $0[dynamicMember: \.self] }, in: Filter.not(.all)) == "#")
        #expect(pointer(\.from, in: Drawing(from: Cube(), to: Shape())) == "#/from")
        #expect(pointer(\.to, in: Drawing(from: Shape(), to: Cube())) == "#/to")
    }

    /// Counts how often it is read.
    struct Counted: Codable, Sendable {
        final class Readings: Sendable { let count = Lock(0) }
        @TaskLocal static var readings = Readings()
        var id: Int
        init(id: Int) { self.id = id }
        init(from decoder: any Decoder) throws {
            Self.readings.count.withLock { $0 += 1 }
            id = try decoder.container(keyedBy: CodingKeys.self).decode(Int.self, forKey: .id)
        }
    }

    @Test("is found without reading what is in the object")
    func once() throws {
        _ = try JSONSchema(of: Page<Counted>.self)
        let place = InputPlace(of: Page(items: (0..<2000).map(Counted.init)))
        let readings = Counted.Readings()
        Counted.$readings.withValue(readings) {
            #expect(InputPlace.way(of: place.items[1999].id) == ["all_items", "1999", "id"])
        }
        #expect(readings.count.withLock { $0 } == 1)
    }

    @Test("is found in what holds itself, however deep")
    func deep() {
        typealias Tree = RefusalPointerTests.Tree
        let tree = (0..<100).reduce(Tree(name: "a")) { tree, _ in Tree(name: "a", kids: [tree]) }
        let name = pointer({ (0..<20).reduce($0) { place, _ in place.kids[0] }.name }, in: tree)
        #expect(name == "#" + String(repeating: "/kids/0", count: 20) + "/name")
    }
}
