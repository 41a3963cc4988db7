import Foundation
import Testing

@testable import BinderyKit
@testable import bindery

@Suite("What a package or a view model is to be called")
struct NewNameTests {
    @Test(
        "is a type in Swift and words with hyphens in a path",
        arguments: [
            ("Board", "board"), ("ShoppingList", "shopping-list"), ("HTTPServer", "http-server"), ("Room2", "room2"),
            ("Room2Door", "room2-door"), ("A", "a"), ("AToB", "a-to-b"), ("FAQ", "faq"),
        ])
    func paths(name: String, path: String) throws {
        #expect(try NewName(name).path == path)
    }

    @Test(
        "is refused where it is no name, or one at which the server answers itself",
        arguments: [
            ("", "an empty word cannot"), ("board", "a capital letter"), ("Shopping-List", "a capital letter"),
            ("../Board", "a capital letter"), ("Büro", "a capital letter"), ("2Rooms", "a capital letter"),
            ("BoardViewModel", "leave out ViewModel"), ("Session", "answers at /session"),
            (String(repeating: "A", count: 65), "too long"),
        ])
    func refused(name: String, why: String) {
        let error = #expect(throws: UsageError.self) { try NewName(name) }
        #expect(error?.message.contains(why) == true)
    }

    @Test(
        "is refused to a package whose code would mean another thing by it",
        arguments: ["Any", "Self", "Foundation", "String", "Declaration", "Test", "Action"])
    func meanings(name: String) throws {
        #expect(try NewName(name).swift == name)
        let error = #expect(throws: UsageError.self) { try NewName(ofPackage: name) }
        #expect(error?.message.hasSuffix("its code means something else by \(name)") == true)
    }

    @Test(
        "may be a word that the code has only within others, or in what it says",
        arguments: ["Entries", "Clear", "Milk"])
    func words(name: String) throws {
        #expect(try NewName(ofPackage: name).swift == name)
    }

    @Test("is refused to a package where a target of Bindery has it, in any case")
    func targets() throws {
        let sources = try FileManager.default.contentsOfDirectory(atPath: repository.appending(path: "Sources").path)
        #expect(Set(sources.filter { $0 != "bindery" }) == Set(NewName.targets).subtracting(["Bindery"]))
        for name in NewName.targets + ["Http"] {
            #expect(throws: UsageError.self, "\(name)") { try NewName(ofPackage: name) }
        }
    }
}

let repository = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../..").standardized
