import Foundation
import Testing

@testable import ViewModels

extension Date {
    fileprivate struct Planned: Codable { var zone: TimeZone }
}

@Suite("A type of Swift's or Foundation's")
struct ForeignTypeTests {
    private struct Home: Codable { var zone: TimeZone }
    private struct Language: Codable { var locale: Locale? }
    private struct Plan: Codable { var calendars: [Calendar] }
    private struct Due: Codable { var day: DateComponents }

    private func fault<Value: Codable>(shown type: Value.Type) -> String? {
        #expect(throws: SchemaFault.self) { try FoundType.of(type).shown.get() }?.description
    }

    /// With its module, of which Foundation has several.
    private static func name(_ type: any Any.Type) -> String { String(reflecting: type) }

    private static let identifier = "take String instead, for its identifier"

    @Test("that has no shape is named as a whole, with the member that has it and what to take")
    func whole() {
        #expect(
            fault(shown: TimeZone.self)
                == "the shape of \(Self.name(TimeZone.self)) is not known: it does not tell all that it reads: \(Self.identifier)"
        )
        #expect(
            fault(shown: Home.self)
                == "the shape of its member zone, of \(Self.name(TimeZone.self)) is not known: it does not tell all that it reads: "
                + Self.identifier)
        #expect(
            fault(shown: Plan.self)
                == "the shape of its member calendars/*, of \(Self.name(Calendar.self)) is not known: it does not tell all that it reads: "
                + Self.identifier)
        #expect(
            fault(shown: Due.self)
                == "the shape of its member day, of \(Self.name(DateComponents.self)) is not known: it does not tell all that it "
                + "reads: take String or a structure of your own instead")
        #expect(
            fault(shown: Date.FormatStyle.self)
                == "the shape of \(Self.name(Date.FormatStyle.self)) is not known: it does not tell all that it reads: take String or a "
                + "structure of your own instead")
    }

    @Test("that is yours is not, within whichever it is declared")
    func extended() {
        #expect(fault(shown: Date.Planned.self)?.contains("its member zone, of \(Self.name(TimeZone.self))") == true)
    }

    @Test("that writes what has no order is named as a whole, too")
    func order() {
        #expect(
            fault(shown: Language.self)
                == "the shape of its member locale, of \(Self.name(Locale.self)) is not known: it does not tell all that it reads: "
                + Self.identifier)
        let stored = SearchedType(Language.self).orderFault(Language(locale: Locale(identifier: "de")))
        #expect(stored?.path == ["locale"])
        #expect(stored?.type == Self.name(Locale.self))
    }

    @Test("that holds one of yours is not to blame for it")
    func holding() {
        let fault = #expect(throws: SchemaFault.self) { try JSONSchema(of: ContiguousArray<Home>.self) }
        #expect(fault?.type == Self.name(TimeZone.self))
        #expect(fault?.path.last == "zone")
    }

    private struct Placed: Codable, Equatable {
        var point: SIMD3<Double>
        var pixel: SIMD4<UInt8>
    }

    @Test("of a few numbers is a list of as many, and is read as it is written")
    func vectors() throws {
        let double = JSONSchema.number(.greatestFiniteMagnitude)
        let byte = JSONSchema.integer(0...255)
        #expect(
            try FoundType.of(Placed.self).shown.get()
                == .object([
                    .init("point", .tuple([double, double, double])), .init("pixel", .tuple([byte, byte, byte, byte])),
                ]))
        let placed = Placed(point: [1, 2, 3.5], pixel: [0, 1, 2, 255])
        let text = try JSON.encode(placed)
        #expect(String(decoding: text, as: UTF8.self) == #"{"pixel":[0,1,2,255],"point":[1,2,3.5]}"#)
        #expect(try JSON.decode(Placed.self, from: text) == placed)
    }
}
