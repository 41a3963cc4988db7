import Foundation
import Testing

@testable import ViewModels

@Suite("A body and the shape that a type says of itself")
struct HeldShapeTests {
    struct Rating: Codable, SchemaDescribing {
        var stars: Int
        var of: [Int: String]?
        var note: String?
        static let jsonSchema = JSONSchema.object([
            .init("stars", .integer(1...5)),
            .init("of", .dictionary(.oneOf(["x", "y"]), names: .integer(1...3)), isRequired: false),
        ])
    }
    struct Rated: Codable { var ratings: [Rating] }

    @Test(
        "a body is held to the shape that a type says, also where its init(from:) takes more",
        arguments: [
            (#"{"stars":6}"#, "stars", "must be a whole number from 1 to 5"),
            (#"{"stars":5,"of":{"9":"x"}}"#, "of/9", "has a name that must be a whole number from 1 to 3"),
            (#"{"stars":5,"of":{"1":"z"}}"#, "of/1", "must be one of \"x\", \"y\""),
            (#"{"stars":5,"note":"unsaid"}"#, "note", "is unknown; known members: \"stars\", \"of\""),
        ])
    func heldToWhatIsSaid(rating: String, place: String, words: String) {
        let refused = refused(#"{"ratings":[{"stars":1,"of":{"3":"y"}},\#(rating)]}"#, as: Rated.self)
        #expect(refused?.told == .wrongShape(pointer: "#/ratings/1/\(place)"))
        #expect(refused?.detail == "The member that the pointer names \(words).")
    }

    struct Pair<First: Codable, Second: Codable>: Codable {
        var first: First
        var second: Second
        init(from decoder: any Decoder) throws {
            var list = try decoder.unkeyedContainer()
            (first, second) = try (list.decode(First.self), list.decode(Second.self))
        }
        func encode(to encoder: any Encoder) throws {
            var list = encoder.unkeyedContainer()
            try list.encode(first)
            try list.encode(second)
        }
    }
    /// Reads two of a list within it.
    struct Place: Codable {
        var x: Int
        var y: Int
        enum CodingKeys: CodingKey { case at }
        init(from decoder: any Decoder) throws {
            var list = try decoder.container(keyedBy: CodingKeys.self).nestedUnkeyedContainer(forKey: .at)
            (x, y) = try (list.decode(Int.self), list.decode(Int.self))
        }
        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: CodingKeys.self)
            var list = container.nestedUnkeyedContainer(forKey: .at)
            try list.encode(x)
            try list.encode(y)
        }
    }
    /// Is a pair, or as many as there are.
    struct Either: Codable {
        var all: [Int]
        init(from decoder: any Decoder) throws {
            var list = try decoder.unkeyedContainer()
            _ = try list.decode(Int.self)
            all = try decoder.singleValueContainer().decode([Int].self)
        }
        func encode(to encoder: any Encoder) throws { try all.encode(to: encoder) }
    }
    enum Color: String, Codable {
        case red, blue
        init(from decoder: any Decoder) throws {
            self = try Color(rawValue: decoder.singleValueContainer().decode(String.self).lowercased()) ?? .red
        }
    }
    struct Stay: Codable {
        var nights: ClosedRange<Int>?
        var pairs: [Pair<Int, String>]?
        var place: Place?
        var either: Either?
        var dot: Pair<Color, Int>?
    }

    @Test(
        "a list of as many as a type reads has no more, which would be lost",
        arguments: [
            (#"{"nights":[1,2,3]}"#, "#/nights/2"), (#"{"pairs":[[1,"a"],[2,"b",3]]}"#, "#/pairs/1/2"),
            (#"{"place":{"at":[1,2,3,4]}}"#, "#/place/at/2"),
        ])
    func heldToLength(body: String, place: String) {
        let refused = refused(body, as: Stay.self)
        #expect(refused?.told == .wrongShape(pointer: place))
        #expect(refused?.detail == "The member that the pointer names is more than this list may hold.")
    }

    @Test("many lists that are opened twice are looked at once each", .timeLimit(.minutes(1)))
    func openedTwice() {
        let lists = Array(repeating: "[1,2]", count: 8000).joined(separator: ",")
        #expect(refused("[\(lists)]", as: [Either].self) == nil)
    }

    @Test("a list of as many as a type reads is taken")
    func length() {
        let body = #"{"nights":[1,2],"pairs":[[1,"a"],[2,"b"]],"place":{"at":[1,2]},"either":[1,2,3],"dot":["RED",1]}"#
        #expect(refused(body, as: Stay.self) == nil)
    }

    struct Document: Codable, SchemaDescribing {
        var blocks: [Block] = []
        static let jsonSchema = JSONSchema.named("D", .object([.init("blocks", .array(Block.jsonSchema))]))
    }
    struct Block: Codable, SchemaDescribing {
        var size: Int
        var documents: [Document] = []
        static let jsonSchema = JSONSchema.object([
            .init("size", .integer(1...5)), .init("documents", .array(.reference("D"))),
        ])
    }

    @Test("a body of a shape that refers to the one around it is held to that, however deep")
    func heldToWhatIsAround() {
        func document(_ size: Int) -> String {
            #"{"blocks":[{"size":1,"documents":[{"blocks":[{"size":\#(size),"documents":[]}]}]}]}"#
        }
        #expect(refused(document(5), as: Document.self) == nil)
        let place = "#/blocks/0/documents/0/blocks/0/size"
        #expect(refused(document(6), as: Document.self)?.told == .wrongShape(pointer: place))
    }

    enum Status: String, Codable {
        case open, closed, unknown
        init(from decoder: any Decoder) throws {
            self = try Status(rawValue: decoder.singleValueContainer().decode(String.self)) ?? .unknown
        }
    }
    struct Ticket: Codable {
        var status: Status
        var rating: Rating?
    }

    @Test("a body is not held to a shape that its type does not say, where its init(from:) takes more")
    func lenient() throws {
        let ticket = try ActionInput.decode(Ticket.self, from: Array(#"{"status":"lost","rating":{"stars":1}}"#.utf8))
        #expect(ticket.status == .unknown)
        #expect(
            refused(#"{"status":"lost","rating":{"stars":0}}"#, as: Ticket.self)?.told.pointer == "#/rating/stars")
    }

    enum Tag: String, Codable, CodingKeyRepresentable, SchemaDescribing {
        case red, blue
        static let jsonSchema = JSONSchema.oneOf(["red", "blue"])
        var codingKey: any CodingKey { JSONNodeKey(rawValue) }
        init?<Key: CodingKey>(codingKey: Key) { self = Tag(rawValue: codingKey.stringValue) ?? .red }
    }

    @Test("a dictionary's names are held to what its keys are: two of them could be one")
    func heldNames() throws {
        for name in ["01", "+1", "-0", "1.0"] {
            let refused = refused(#"[{"byNumber":{"1":"a","\#(name)":"b"}}]"#, as: [[String: [Int: String]]?].self)
            #expect(refused?.told == .wrongShape(pointer: "#/0/byNumber/\(name)"))
            #expect(refused?.detail.contains("has a name that must be a whole number") == true)
        }
        #expect(try ActionInput.decode([Int: Int].self, from: Array(#"{"-1":1,"0":2}"#.utf8)) == [-1: 1, 0: 2])
        #expect(refused(#"{"red":1,"green":2}"#, as: [Tag: Int].self)?.told == .wrongShape(pointer: "#/green"))
    }

    enum Colour: String, Codable, CodingKeyRepresentable {
        case red, blue
        var codingKey: any CodingKey { JSONNodeKey(rawValue) }
        init?<Key: CodingKey>(codingKey: Key) { self.init(rawValue: codingKey.stringValue.lowercased()) }
    }

    @Test("two names that are one key are refused, and what is wrong is told by its name as it was sent")
    func namesOfOneKey() throws {
        let twice = refused(#"[{"Red":1,"red":2}]"#, as: [[Colour: Int]].self)
        #expect(twice?.kind == .wrongShape)
        let colours = try ActionInput.decode([Colour: Int].self, from: Array(#"{"Red":1,"BLUE":2}"#.utf8))
        #expect(colours == [.red: 1, .blue: 2])
        #expect(refused(#"{"1":3,"01":"x"}"#, as: [String: Int].self)?.told == .wrongShape(pointer: "#/01"))
        #expect(refused(#"{"007":{"stars":9}}"#, as: [String: Rating].self)?.told.pointer == "#/007/stars")
        let wrong = refused(#"{"BLUE":"x"}"#, as: [Colour: Int].self)
        #expect(wrong?.detail.contains("must be a whole number") == true)
        let name = refused(#"{"green":{"stars":1}}"#, as: [Colour: Rating].self)
        #expect(name?.told == .wrongShape(pointer: "#/green"))
        #expect(name?.detail.contains("has a name that must be one of") == true)
    }

    struct Mixed: Codable {
        var status: Status
        var count: Int
        var tag: Tag?
        var rating: Rating?
        var span: Span?
        var title: HandmadeSchemaTests.Title?
        var script: Script?
    }
    struct Span: Codable {
        var status: Status
        var from: Int, to: Int
        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            status = try container.decode(Status.self, forKey: .status)
            (from, to) = try (container.decode(Int.self, forKey: .from), container.decode(Int.self, forKey: .to))
            guard from <= to else {
                throw DecodingError.dataCorrupted(.init(codingPath: decoder.codingPath, debugDescription: "no span"))
            }
        }
    }
    /// Reads what is written in its text.
    struct Script: Codable, SchemaDescribing {
        var count: Int
        static let jsonSchema = JSONSchema.string
        init(from decoder: any Decoder) throws {
            struct Written: Decodable { var count: Int }
            let text = try decoder.singleValueContainer().decode(String.self)
            count = try JSONDecoder().decode(Written.self, from: Data(text.utf8)).count
        }
    }

    @Test(
        "what is taken is not told for what is wrong",
        arguments: [
            (#""count":"x""#, "count"), (#""count":1,"tag":"green""#, "tag"),
            (#""count":1,"rating":{"stars":"x"}"#, "rating/stars"),
            (#""count":1,"rating":{}"#, "rating/stars"), (#""count":null"#, "count"), (#""tag":"red""#, "count"),
            (#""count":1,"span":{"status":"lost","from":3,"to":2}"#, "span"), (#""count":1,"title":"""#, "title"),
            (#""count":1,"script":"{\"count\":\"x\"}""#, "script"),
        ])
    func heldWhereItIsWrong(rest: String, place: String) {
        #expect(refused(#"{"status":"lost",\#(rest)}"#, as: Mixed.self)?.told == .wrongShape(pointer: "#/\(place)"))
    }

    /// Takes each element that it can.
    struct Lossy: Decodable {
        var ratings: [Rating] = []
        init(from decoder: any Decoder) throws {
            struct Whatever: Decodable {}
            var list = try decoder.unkeyedContainer()
            while !list.isAtEnd {
                do { ratings.append(try list.decode(Rating.self)) } catch is DecodingError {
                    _ = try list.decode(Whatever.self)
                }
            }
        }
    }

    @Test("that a value is not what its type says is an error of decoding as any other")
    func unsaidIsCaught() throws {
        let list = try JSONGrammar.read(Array(#"[{"stars":1},{"stars":6},{"stars":"x"},{"stars":5}]"#.utf8))
        let lossy = try JSONNodeDecoder(node: list, lists: OpenedLists()).decode(Lossy.self)
        #expect(lossy.ratings.map(\.stars) == [1, 5])
    }

    /// Its members stand beside those of what it decodes from the same value.
    struct Review: Codable {
        var text: String
        var rating: Rating
        init(from decoder: any Decoder) throws {
            text = try decoder.container(keyedBy: CodingKeys.self).decode(String.self, forKey: .text)
            rating = try decoder.singleValueContainer().decode(Rating.self)
        }
    }

    struct Above: Decodable {
        var review: Review
        enum CodingKeys: CodingKey { case review }
        init(from decoder: any Decoder) throws {
            review = try Review(from: decoder.container(keyedBy: CodingKeys.self).superDecoder(forKey: .review))
        }
    }

    @Test("what a type says of its shape is no refusal of members that another type reads from the same value")
    func heldBesideOthers() throws {
        let review = try ActionInput.decode([Review?].self, from: Array(#"[{"stars":5,"text":"Good."}]"#.utf8))
        #expect(review.first??.rating.stars == 5)
        #expect(refused(#"{"review":{"stars":5,"text":""}}"#, as: Above.self) == nil)
        #expect(refused(#"{"stars":6,"text":""}"#, as: Review.self)?.told == .wrongShape(pointer: "#/stars"))
        #expect(refused(#"{"stars":5,"text":"","x":1}"#, as: Review.self)?.told == .wrongShape(pointer: "#/x"))
    }

    @Test("a body of a type that has nothing in it is held to that", arguments: ["5", "[]", "null", #"{"x":1}"#])
    func heldToNothing(body: String) throws {
        struct Nothing: Codable {}
        struct Holder: Codable { var nothing: Nothing }
        #expect(refused(body, as: Nothing.self)?.kind == .wrongShape)
        #expect(refused(#"{"nothing":\#(body)}"#, as: Holder.self)?.pointer?.hasPrefix("#/nothing") == true)
        _ = try ActionInput.decode(Holder.self, from: Array(#"{"nothing":{}}"#.utf8))
    }

    @Test("an optional of a type that says its shape is held to it with all its members")
    func heldOptional() {
        let refused = refused(#"[null,{"stars":5,"note":"unsaid"}]"#, as: [Rating?].self)
        #expect(refused?.told == .wrongShape(pointer: "#/1/note"))
    }
}
