import Foundation
import Testing

@testable import ViewModels

/// What a type is read from is not ours to decide: its example is written by Foundation's encoder.
@Suite("Decoding a body")
struct JSONNodeDecoderTests {
    struct Everything: Codable, Equatable {
        enum Shape: Codable, Equatable { case dot, circle(radius: Double, String), square(Int) }
        enum Colour: String, Codable { case red, green }
        struct Point: Codable, Equatable { var x, y: Float }

        var date = Date(timeIntervalSinceReferenceDate: 800_000_000.25)
        var bytes = Data([0, 1, 254, 255])
        var page = URL(string: "https://example.com/a?b=%20c")
        var id = UUID()
        var amount = Decimal(string: "12345678901234567890.123456789")
        var whole: [Int64] = [.min, -1, 0, 1, .max]
        var natural = UInt64.max
        var wide = Int128.max, widest: [UInt128] = [.max]
        var small: [Int8] = [-128, 127]
        var real = [0.1, -1e-300, 1e300, .leastNonzeroMagnitude, -0.0]
        var flags: [Bool?] = [true, nil, false]
        var shapes: [Shape] = [.dot, .circle(radius: 0.5, "c"), .square(2)]
        var colours: [Colour: Int] = [.red: 2]
        var points = ["a": [Point(x: 0.1, y: -2)], "": []]
        var numbered = [7: "seven", -1: "é日\"\\\u{1}\n😀/"]
        var nothing: String?
        var range = 1...3
        var nested: [[[String: Int?]]] = [[], [[:], ["a": nil, "b": 1]]]
    }

    @Test("every type is read from what Foundation's encoder writes for it")
    func roundTrip() throws {
        let everything = Everything()
        let node = try JSONGrammar.read(JSON.encode(everything))
        #expect(try JSONNodeDecoder(node: node).decode(Everything.self) == everything)
        #expect(node.unasked == nil)
    }

    class Animal: Codable {
        var name = ""
    }

    final class Dog: Animal {
        var tricks: [String] = []

        enum CodingKeys: String, CodingKey { case tricks }

        required init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            tricks = try container.decode([String].self, forKey: .tricks)
            try super.init(from: container.superDecoder())
        }
    }

    @Test("a superclass is read from its member, whose own members are known too")
    func superclass() throws {
        let node = try JSONGrammar.read(Array(#"{"tricks":["sit"],"super":{"name":"Pochi","nmae":""}}"#.utf8))
        let dog = try JSONNodeDecoder(node: node).decode(Dog.self)
        #expect(dog.name == "Pochi" && dog.tricks == ["sit"])
        #expect(node.unasked?.path == ["super", "nmae"])
    }

    struct Flattened: Decodable {
        var first: Int, second: String?, rest: [Int] = []

        enum Key: String, CodingKey { case point, list }
        enum PointKey: String, CodingKey { case x }

        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: Key.self)
            first = try container.nestedContainer(keyedBy: PointKey.self, forKey: .point).decode(Int.self, forKey: .x)
            var list = try container.nestedUnkeyedContainer(forKey: .list)
            var inner = try list.nestedUnkeyedContainer()
            second = try inner.decodeNil() ? nil : inner.decode(String.self)
            // One type after the other is tried on the same element.
            while !list.isAtEnd {
                rest.append(try (try? list.decode(Int.self)) ?? (Int(list.decode(String.self)) ?? 0))
            }
        }
    }

    @Test("nested containers are read in place, and the path to a fault in them is known")
    func nested() throws {
        let node = try JSONGrammar.read(Array(#"{"point":{"x":1},"list":[["a"],2,"3"]}"#.utf8))
        let flattened = try JSONNodeDecoder(node: node).decode(Flattened.self)
        #expect(flattened.first == 1 && flattened.second == "a" && flattened.rest == [2, 3])
        let fault = #expect(throws: ActionRefusal.self) {
            try ActionInput.decode(Flattened.self, from: Array(#"{"point":{"x":1},"list":[[null],2,{}]}"#.utf8))
        }
        #expect(fault?.kind == .wrongShape)
        #expect(fault?.pointer == "#/list/2")
    }

    final class Tree: Codable {
        let children: [Tree]?
    }

    @Test("a value of a type that contains itself is gone through once at each depth", .timeLimit(.minutes(5)))
    func deep() throws {
        let depth = 200
        let text =
            String(repeating: #"{"children":["#, count: depth) + "{\"x\":1}" + String(repeating: "]}", count: depth)
        let refusal = #expect(throws: ActionRefusal.self) { try ActionInput.decode(Tree.self, from: Array(text.utf8)) }
        let path = "#" + String(repeating: "/children/0", count: depth)
        #expect(refusal?.kind == .wrongShape)
        #expect(refusal?.pointer == path.prefix(JSON.longestPointer) + "…")
    }

    @Test("a list of as many members as a body holds is gone through once")
    func manyMembers() throws {
        let members = (0..<100_000).map { "\"\($0)\":0" }.joined(separator: ",")
        let read = try ActionInput.decode([String: Int].self, from: Array("{\(members)}".utf8))
        #expect(read.count == 100_000)
    }
}
