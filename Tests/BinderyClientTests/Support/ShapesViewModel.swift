import BinderyClient
import BinderyKit
import Foundation

/// Shows and takes a value of every shape that there is.
final class ShapesViewModel: ViewModel {
    enum Size: String, Codable, Sendable { case small, large = "L", init2 = "init", two = "2" }
    enum Level: Int, Codable, Sendable { case low = -7, high = 1_000 }
    enum Payload: Codable, Sendable { case text(String), pair(x: Int8, Date?), nothing }
    struct Tree: Codable, Sendable {
        var label: String
        var children: [Tree]?
    }
    indirect enum Formula: Codable, Sendable { case sum(Formula, Formula), number(Int) }
    final class Node: Codable, Sendable {
        let number: Int
        let next: Node?
        init(number: Int = 0, next: Node? = nil) { (self.number, self.next) = (number, next) }
    }
    struct Inner: Codable, Sendable, MemberSummarizing {
        static let memberSummaries = ["in-doors": "Whether it rains."]
        var title: String?
        var inDoors = false
        var `self` = 1
        enum CodingKeys: String, CodingKey {
            case title, `self`
            case inDoors = "in-doors"
        }
    }
    /// Whatever JSON there is.
    struct Free: SchemaDescribing, Codable, Sendable {
        static let jsonSchema = JSONSchema.anything
        var json = AnyJSON.object(["a": .array([.integer(1), .number(0.5), .null, .bool(true), .string("数")])])
        init() {}
        init(from decoder: any Decoder) throws { json = try AnyJSON(from: decoder) }
        func encode(to encoder: any Encoder) throws { try json.encode(to: encoder) }
    }

    struct Shapes: StoredValue {
        var text = "\" \\ 数🧵"
        var flag = true
        var whole = -1
        var byte: UInt8 = 255
        var large = UInt64.max
        var widest = Int128.max
        var real = 0.1
        var short: Float = 0.5
        var money = Decimal(string: "1.05") ?? 1
        var moment = Date(timeIntervalSinceReferenceDate: 0.5)
        var name = UUID()
        var page = URL(filePath: "/a")
        var bytes = Data([0, 255])
        var size = Size.two
        var level = Level.low
        var payload = Payload.pair(x: -1, nil)
        var payloads = [Payload.text("a"), .nothing]
        var tree = Tree(label: "root", children: [Tree(label: "leaf")])
        var formula = Formula.sum(.number(1), .sum(.number(2), .number(3)))
        var node = Node(number: 1, next: Node(number: 2))
        var inner: Inner?
        var inners = [Inner(title: "a"), Inner()]
        var optional: [Int?] = [1, nil]
        var named: [String: Decimal] = ["a": 1]
        var numbered: [Int: Inner] = [1: Inner()]
        var span = Duration.milliseconds(1500)
        init() {}
    }
    struct Model: StoredModel {
        var shapes = Shapes()
        var free = Free()
    }

    static let interface = Interface<ShapesViewModel>("every-shape", "Values of\nevery shape.") {
        Output("all", \.all, "All of them, in one object.")
        Output("payload", \.payload)
        Output("size", \.size, "One of a few.")
        Output("in", \.inner)
        Output("moment-of-it", \.moment)
        Output("free", \.free)
        Action("set", "Takes all of them.", example: Shapes(), ShapesViewModel.set)
        Action("init", "Begins anew.", ShapesViewModel.begin)
        Action("size", example: Size.small, ShapesViewModel.resize)
        Facet("part-of-it", "A part.", showing: "size", "in")
    }

    func set(_ shapes: Shapes) { model.shapes = shapes }
    func begin() { model = Model() }
    func resize(_ size: Size) { model.shapes.size = size }

    var all: Shapes { model.shapes }
    var payload: Payload { model.shapes.payload }
    var size: Size { model.shapes.size }
    var inner: Inner? { model.shapes.inner }
    var moment: Date { model.shapes.moment }
    var free: Free { model.free }

    private(set) var model: Model
    init(model: Model) { self.model = model }
}

/// Shows a value of a type that is called as it is itself.
final class LampViewModel: ViewModel {
    enum Lamp: String, Codable, Sendable { case on, off }
    struct Model: StoredModel { var lamp = Lamp.off }

    static let interface = Interface<LampViewModel>("lamp") {
        Output("lamp", \.lamp)
        Action("turn", example: Lamp.on, LampViewModel.turn)
    }

    func turn(_ lamp: Lamp) { model.lamp = lamp }
    var lamp: Lamp { model.lamp }
    private(set) var model: Model
    init(model: Model) { self.model = model }
}

/// Shows values of two types of one name.
final class NamesakesViewModel: ViewModel {
    struct Model: StoredModel { var count = 0 }

    static let interface = Interface<NamesakesViewModel>("namesakes") {
        Output("branches", \.branches)
        Output("leaves", \.leaves)
    }

    var branches: some Codable & Sendable {
        struct Node: Codable { var branches: [Node] = [] }
        return Node()
    }
    var leaves: some Codable & Sendable {
        struct Node: Codable { var leaves: [Node] = [] }
        return Node()
    }
    let model: Model
    init(model: Model) { self.model = model }
}
