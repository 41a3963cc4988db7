import Testing

@testable import ViewModels

@Suite("The ordinary values of a shape")
struct PlainTextsTests {
    struct Point: Codable {
        var x: Int
        var label: String?
        var on: Bool
    }
    indirect enum Statement: Codable { case loop(Condition, [Statement]), value(Expression), stop }
    indirect enum Expression: Codable { case not(Condition), number(Int) }
    indirect enum Condition: Codable { case either(Condition, Condition), less(Expression) }

    private func texts<Value: Codable>(_ type: Value.Type) throws -> [String] {
        try JSONSchema(of: type).plainTexts(around: [:])
    }

    @Test("have no more in them than there has to be")
    func small() throws {
        #expect(try texts(Point.self) == [#"{"x":0,"on":false}"#])
        #expect(try texts([Point].self) == ["[]", #"[{"x":0,"on":false}]"#])
        #expect(try texts([String: Point].self) == ["{}", #"{"":{"x":0,"on":false}}"#])
        #expect(try texts(Bool.self) == ["false", "true"])
    }

    @Test("are found where types hold each other, one of each case")
    func mutual() throws {
        let schema = try JSONSchema(of: Statement.self)
        #expect(
            JSONShape(schema).plain.map { String(decoding: $0.text, as: UTF8.self) } == [
                #"{"loop":{"_0":{"less":{"_0":{"number":{"_0":0}}}},"_1":[]}}"#,
                #"{"value":{"_0":{"number":{"_0":0}}}}"#, #"{"stop":{}}"#,
            ])
    }

    @Test("are none where it can only be without end")
    func endless() {
        let endless = JSONSchema.named("A", .object([.init("a", .reference("A"))]))
        #expect(endless.plainTexts(around: [:]).isEmpty)
    }
}
