import Foundation
import Testing

@testable import ViewModels

/// Something of every kind whose shape is known without being told, and which has an order.
struct Everything: StoredValue, Equatable {
    typealias Numbered = SchemaTests.Numbered
    typealias Unlisted = SchemaTests.Unlisted

    enum Payload: Codable, Sendable, Equatable { case text(String), pair(x: Int8, Date?), nothing }
    enum Bare: Codable, Sendable, Equatable { case on, off }
    indirect enum Formula: Codable, Sendable, Equatable { case sum([Formula]), number(Int) }
    struct Inner: Codable, Sendable, Equatable {
        var title: String?
        var deep: [String: [Unlisted?]]
    }

    var text = ""
    var flag = false
    var whole = 0
    var byte: UInt8 = 0
    var large: Int64 = 0
    var larger: UInt64 = 0
    var widest: Int128 = 0
    var real = 0.5
    var short: Float = 0.5
    var money: Decimal = 1
    var moment = Date(timeIntervalSinceReferenceDate: 0)
    var name = UUID()
    var page = URL(filePath: "/")
    var bytes = Data()
    var raw = Unlisted.one
    var number = Numbered.low
    var payload = Payload.nothing
    var bare = Bare.on
    var formula = Formula.number(1)
    var inner: Inner?
    var optional: [Int?] = []
    var named: [String: Decimal] = [:]
    var numbered: [Int: Inner] = [:]
    var span = Duration.zero
}

/// What is written in any order, as bodies alone may have it.
struct Unsorted: Codable, Equatable {
    var set: Set<SchemaTests.Unlisted>
    var paired: [UUID: Everything.Payload]
}

@Suite("The shape of a type is true")
struct SchemaTruthTests {
    static let seeds = Array(UInt64(1)...4)

    /// Bodies as the shape has them.
    private func madeUp(
        seed: UInt64, of type: (some Decodable).Type = Everything.self
    ) throws -> [[UInt8]] {
        var generator = SeededGenerator(seed: seed)
        let schema = try JSONSchema(of: type)
        return try (0..<10).map { _ in Array(try #require(schema.madeUp(by: &generator)).utf8) }
    }

    @Test("values made up by it are read, and what is written of them has the shape that is shown", arguments: seeds)
    func both(seed: UInt64) throws {
        let (read, shown) = (try JSONSchema(of: Everything.self), try FoundType.of(Everything.self).shown.get())
        for text in try madeUp(seed: seed) {
            #expect(try read.mismatch(inText: text) == nil)
            let value = try ActionInput.decode(Everything.self, from: text)
            let written = try JSON.encode(value)
            #expect(try shown.mismatch(inText: written) == nil, "\(String(decoding: written, as: UTF8.self))")
            #expect(try JSON.decode(Everything.self, from: written) == value)
        }
    }

    @Test("sets, and dictionaries of any keys, are read in a body", arguments: seeds)
    func unsorted(seed: UInt64) throws {
        let schema = try JSONSchema(of: Unsorted.self)
        for text in try madeUp(seed: seed, of: Unsorted.self) {
            #expect(try schema.mismatch(inText: text) == nil)
            let value = try ActionInput.decode(Unsorted.self, from: text)
            let written = try JSON.encode(value)
            #expect(try schema.mismatch(inText: written) == nil)
            #expect(try JSON.decode(Unsorted.self, from: written) == value)
        }
    }

    @Test("what has not the shape is not read", arguments: seeds)
    func wrong(seed: UInt64) throws {
        try refuses(Everything.self, seed)
        try refuses(Unsorted.self, seed)
    }

    private func refuses<Value: Decodable>(_ type: Value.Type, _ seed: UInt64) throws {
        let schema = try JSONSchema(of: type)
        guard case .object(let members) = schema else { return #expect(Bool(false)) }
        for text in try madeUp(seed: seed, of: type).prefix(3) {
            guard case .object(let object) = try JSONGrammar.read(text) else { continue }
            for member in members {
                for other in ["{\"ö\":0}", "[0.5]", "\"?%\"", "0.25", "1e39", "true", "null", "-1", "[[],0]"] {
                    let other = try JSONGrammar.read(Array(other.utf8))
                    let changed = object.all.filter { $0.name != member.name } + [(member.name, other)]
                    let whole = JSONNode.object(JSONNode.Members(changed))
                    guard schema.mismatch(in: whole) != nil else { continue }
                    #expect(throws: (any Error).self, "\(member.name): \(String(decoding: other.text, as: UTF8.self))")
                    {
                        try ActionInput.decode(type, from: whole.text)
                    }
                }
            }
        }
    }

    private final class Keeper: ViewModel {
        struct Model: StoredModel, Equatable {
            var latest = Everything()
            var all: [Everything] = []
        }

        static let interface = Interface<Keeper>("keeper") {
            Output("latest", \.latest)
            Output("all", \.all)
            Action("keep", example: Everything(), Keeper.keep)
        }

        func keep(_ everything: Everything) {
            model.latest = everything
            model.all.append(everything)
        }

        var latest: Everything { model.latest }
        var all: [Everything] { model.all }
        private(set) var model: Model
        init(model: Model) { self.model = model }
    }

    @Test("in an action's body, in outputs and in a model that is stored and read back", arguments: seeds.prefix(2))
    func hosted(seed: UInt64) async throws {
        let declaration = Declaration.hosting(Keeper.init(model:))
        #expect(declaration.faults == [])
        let hosted = try declaration.make(in: ViewModelContext())
        for text in try madeUp(seed: seed) {
            try await hosted.perform(0, body: text)
            let again = try declaration.make(in: ViewModelContext(), from: hosted.encodedModel())
            for (place, output) in declaration.outputs.enumerated() {
                let shown = try hosted.encodedOutput(at: place)
                #expect(try output.schema.mismatch(inText: shown) == nil)
                #expect(try again.encodedOutput(at: place) == shown)
            }
            #expect(
                try JSON.decode(Everything.self, from: again.encodedOutput(at: 0))
                    == ActionInput.decode(Everything.self, from: text))
        }
    }
}

@Suite("The values of an enumeration without payload")
struct EnumCasesTests {
    enum Two { case a, b }
    enum One { case a }
    enum Payload { case a, b(Int) }
    enum Never {}

    @Test("are all there, in order, however they are listed")
    func all() {
        #expect(EnumCases.all(of: Two.self) == [.a, .b])
        #expect(EnumCases.all(of: One.self) == [.a])
        #expect(EnumCases.all(of: SchemaTests.Listed.self) == SchemaTests.Listed.allCases)
        #expect(EnumCases.all(of: ManyCases.self)?.map(\.rawValue) == Array(0..<260))
    }

    @Test("are none of any other type")
    func none() {
        #expect(EnumCases.all(of: Payload.self)?.count == nil)
        #expect(EnumCases.all(of: Never.self)?.count == nil)
        #expect(EnumCases.all(of: Two?.self)?.count == nil)
        #expect(EnumCases.all(of: Int.self) == nil)
        #expect(EnumCases.all(of: String.self) == nil)
        #expect(EnumCases.isEnum(Two.self) && !EnumCases.isEnum(Two?.self) && !EnumCases.isEnum(Int.self))
    }
}

extension EnumCasesTests {
    /// More than a byte can tell apart.
    enum ManyCases: Int {
        case c0, c1, c2, c3, c4, c5, c6, c7, c8, c9, c10, c11, c12, c13, c14, c15, c16, c17, c18, c19, c20, c21,
            c22, c23, c24, c25, c26, c27, c28, c29, c30, c31, c32, c33, c34, c35, c36, c37, c38, c39, c40, c41, c42,
            c43, c44, c45, c46, c47, c48, c49, c50, c51, c52, c53, c54, c55, c56, c57, c58, c59, c60, c61, c62, c63,
            c64, c65, c66, c67, c68, c69, c70, c71, c72, c73, c74, c75, c76, c77, c78, c79, c80, c81, c82, c83, c84,
            c85, c86, c87, c88, c89, c90, c91, c92, c93, c94, c95, c96, c97, c98, c99, c100, c101, c102, c103, c104,
            c105, c106, c107, c108, c109, c110, c111, c112, c113, c114, c115, c116, c117, c118, c119, c120, c121,
            c122, c123, c124, c125, c126, c127, c128, c129, c130, c131, c132, c133, c134, c135, c136, c137, c138,
            c139, c140, c141, c142, c143, c144, c145, c146, c147, c148, c149, c150, c151, c152, c153, c154, c155,
            c156, c157, c158, c159, c160, c161, c162, c163, c164, c165, c166, c167, c168, c169, c170, c171, c172,
            c173, c174, c175, c176, c177, c178, c179, c180, c181, c182, c183, c184, c185, c186, c187, c188, c189,
            c190, c191, c192, c193, c194, c195, c196, c197, c198, c199, c200, c201, c202, c203, c204, c205, c206,
            c207, c208, c209, c210, c211, c212, c213, c214, c215, c216, c217, c218, c219, c220, c221, c222, c223,
            c224, c225, c226, c227, c228, c229, c230, c231, c232, c233, c234, c235, c236, c237, c238, c239, c240,
            c241, c242, c243, c244, c245, c246, c247, c248, c249, c250, c251, c252, c253, c254, c255, c256, c257,
            c258, c259
    }
}
