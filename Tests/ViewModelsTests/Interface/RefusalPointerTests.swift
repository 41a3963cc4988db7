import Foundation
import Testing

@testable import ViewModels

@Suite("The pointer of a refusal")
struct RefusalPointerTests {
    struct Line: Codable, Sendable {
        let sku: String
        var count = 1
    }

    struct Order: Codable, Sendable {
        enum CodingKeys: String, CodingKey {
            case title = "t/~ä"
            case isGift, lines, address, notes, extras, amount, note
        }

        let title: String
        var isGift = false
        var lines: [Line] = []
        var address: Line?
        var notes: [String] = []
        var extras: [String: Int] = [:]
        var amount = 1.5
        var note: String?

        var trimmed: String { title.trimmingCharacters(in: .whitespaces) }
    }

    private func pointer(_ member: KeyPath<Order, some Encodable>, in order: Order) -> String? {
        ActionRefusal.invalid("No.", at: member, of: order).pointer
    }

    @Test("has the names by which members are encoded, in the form of every other pointer")
    func names() {
        let order = Order(title: "  ", lines: [Line(sku: "a")], address: Line(sku: "a"))
        #expect(pointer(\.title, in: order) == "#/t~1~0%C3%A4")
        #expect(pointer(\.isGift, in: order) == "#/isGift")
        #expect(pointer(\.amount, in: order) == "#/amount")
        #expect(pointer(\.trimmed, in: order) == "#/t~1~0%C3%A4")
        #expect(pointer(\.address?.count, in: order) == "#/address/count")
        #expect(pointer(\.address!.sku, in: order) == "#/address/sku")
        #expect(pointer(\.lines, in: order) == "#/lines")
        #expect(pointer(\.address, in: order) == "#/address")
    }

    @Test("leads to what is missing, where that is to blame")
    func missing() {
        let order = Order(title: "a")
        #expect(pointer(\.note, in: order) == "#/note")
        #expect(pointer(\.address, in: order) == "#/address")
        #expect(pointer(\.lines, in: order) == "#/lines")
        #expect(pointer(\.extras, in: order) == "#/extras")
    }

    @Test("leads into lists and dictionaries, however many elements are alike", arguments: [0, 1, 77, 499])
    func elements(place: Int) {
        let order = Order(
            title: "a", lines: Array(repeating: Line(sku: "a"), count: 500), notes: Array(repeating: "", count: 500),
            extras: ["a": 1, "b": 1])
        #expect(pointer(\.lines[place].sku, in: order) == "#/lines/\(place)/sku")
        #expect(pointer(\.notes[place], in: order) == "#/notes/\(place)")
        #expect(pointer(\.extras["b"], in: order) == "#/extras/b")
    }

    @Test("is the whole body where the key path leads nowhere")
    func whole() {
        #expect(pointer(\.self, in: Order(title: "a")) == "#")
        #expect(ActionRefusal.invalid("No.", at: \.self, of: 7).pointer == "#")
        #expect(ActionRefusal.invalid("No.").pointer == nil)
    }
}
