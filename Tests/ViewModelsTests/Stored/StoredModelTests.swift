import TestSupport
import Testing

@testable import ViewModels

@Suite("A model that another build stored")
struct StoredModelTests {
    private func model(_ text: String, storedBy version: Int = 1) throws -> Album.Model {
        try Album.Model.read(Array(text.utf8), storedBy: version, for: Album.interface.name).model
    }

    private func refusal(_ text: String, storedBy version: Int = 1) -> ModelUnreadable? {
        do throws(ModelUnreadable) {
            _ = try Album.Model.read(Array(text.utf8), storedBy: version, for: Album.interface.name)
            return nil
        } catch { return error }
    }

    struct Noted: StoredModel { var note = "" }

    @Test("a text that no caller may send is read back all the same, where a view model made it of several")
    func marks() throws {
        let noted = Noted(note: "e" + String(repeating: "\u{301}\u{323}", count: 20))
        let name = try #require(Name("noted"))
        #expect(try Noted.read(JSON.encode(noted), storedBy: 1, for: name).model.note == noted.note)
    }

    @Test("has the values of init() where members are missing, and its own where they are not")
    func missing() throws {
        let model = try model(#"{"title":"Blue"}"#)
        #expect(model.title == "Blue")
        #expect(model.year == 1999)
        #expect(model.cover.width == 3)
        #expect(model.mood == .calm)
        #expect(model.guests == ["the band": Album.Guest(name: "everybody")])
    }

    @Test("takes a member that is missing in a structure from where init() has that structure")
    func nested() throws {
        let cover = try model(#"{"cover":{"colour":"blue"}}"#).cover
        #expect(cover.colour == "blue")
        #expect(cover.width == 3)
    }

    @Test("takes what is missing in an element, a dictionary's value or an optional from the type's own init()")
    func elements() throws {
        let model = try model(
            #"{"songs":[{"name":"a"},{"seconds":2}],"guests":{"the band":{"name":"us"},"x":{}},"label":{"name":"l"}}"#)
        #expect(model.songs == [Album.Song(name: "a", seconds: 60), Album.Song(name: "song", seconds: 2)])
        // Not from the same key in the model's init().
        #expect(model.guests == ["the band": Album.Guest(name: "us", part: "voice"), "x": Album.Guest()])
        #expect(model.label == Album.Label(name: "l", city: "Osaka"))
    }

    @Test("a dictionary has the keys that were stored, and no others")
    func keys() throws { #expect(try model(#"{"guests":{}}"#).guests.isEmpty) }

    @Test("an optional that is missing is nil, which is how nil is stored")
    func optionals() throws {
        #expect(try model("{}").note == nil)
        #expect(try model(#"{"note":null}"#).note == nil)
    }

    @Test(
        "is refused where nothing stands in: the place is named, no key of a dictionary and nothing that is stored",
        arguments: [
            (#"{"plays":[{"day":1,"times":2},{"day":1}]}"#, "plays/*/times", ModelUnreadable.Reason.missingInElement),
            (#"{"year":"secret"}"#, "year", .mismatch),
            (#"{"year":null}"#, "year", .mismatch),
            (#"{"mood":"secret"}"#, "mood", .mismatch),
            (#"{"guests":{"secret":{"part":7}}}"#, "guests/*/part", .mismatch),
            (#"{"cover":[]}"#, "cover", .mismatch),
            (#"{"songs":[1]}"#, "songs/*", .mismatch),
            ("[]", "", .mismatch), ("{", "", .notJSON), ("", "", .notJSON),
        ])
    func refused(text: String, member: String, reason: ModelUnreadable.Reason) {
        let refusal = refusal(text)
        #expect(refusal?.member == member)
        #expect(refusal?.reason == reason)
        #expect(refusal?.description.contains("secret") == false)
    }

    @Test("of a later version is read only where nothing is missing")
    func later() throws {
        let whole = try #require(String(validating: try JSON.encode(Album.Model()), as: UTF8.self))
        #expect(try model(whole, storedBy: 2).year == 1999)
        #expect(refusal(#"{"title":"Blue"}"#, storedBy: 2)?.member == "year")
        #expect(refusal(#"{"title":"Blue"}"#, storedBy: 2)?.reason == .leftOut)
        #expect(refusal(#"{"title":"Blue"}"#, storedBy: 2)?.description.contains("version 2, read by 1") == true)
    }
}

@Suite("Members that a build does not know")
struct KeptMembersTests {
    private func hosted(_ text: String, storedBy version: Int? = nil) throws -> any HostedViewModel {
        try Album.declaration.make(in: ViewModelContext(), from: Array(text.utf8), storedBy: version)
    }

    private func perform(_ action: String, on hosted: any HostedViewModel, _ body: String = "") async throws -> String {
        let index = try #require(Album.declaration.actions.firstIndex { $0.name.rawValue == action })
        try await hosted.perform(index, body: Array(body.utf8))
        return String(utf8: try hosted.encodedModel())
    }

    /// A model with one member in each place that this build does not know.
    private static let stored = #"""
        {"cover":{"colour":"red","gloss":true,"width":3},"format":{"inches":12},"guests":{"x":{"fee":1e2,"name":"us","part":"p"}},"label":{"city":"c","logo":"\/\"","name":"l"},"mood":"calm","plays":[],"songs":[{"key":"A","name":"a","seconds":1},{"name":"b","seconds":2}],"title":"Blue","year":1}
        """#

    @Test("are stored again after an action, in objects, in a dictionary's values and in the elements that stayed")
    func kept() async throws {
        let hosted = try hosted(Self.stored)
        #expect(
            try await perform("rename", on: hosted, #""Red""#)
                == Self.stored.replacing(#""Blue""#, with: #""Red""#).replacing(#"\/"#, with: "/"))
        let text = try await perform("add-song", on: hosted)
        #expect(
            text.contains(#"{"key":"A","name":"a","seconds":1},{"name":"b","seconds":2},{"name":"new","seconds":1}"#))
    }

    @Test("are kept in an element beside a member that was missing there, too")
    func keptBesideDefault() async throws {
        let hosted = try hosted(#"{"songs":[{"key":"A","name":"a"},{"key":"B","seconds":2}]}"#)
        let songs = #""songs":[{"key":"A","name":"a","seconds":60},{"key":"B","name":"song","seconds":2}]"#
        #expect(String(utf8: try hosted.encodedModel()).contains(songs))
        #expect(try await perform("rename", on: hosted, #""Red""#).contains(songs))
    }

    /// Whose lists come in an order of their own.
    struct Shelf: StoredModel {
        struct Book: StoredValue, Hashable {
            var name = ""
            var pages = 7
        }
        enum Floor: String, Codable, CaseIterable { case first, second, third, fourth }

        var books: Set<Book> = []
        var floors: [Floor: Book] = [:]
    }

    @Test("are never another element's, where a list has another order each time")
    func unordered() throws {
        let name = try #require(Name("shelf"))
        let books = (0..<8).map { #"{"key":"\#($0)","name":"\#($0)","pages":1}"# }
        let floors = Shelf.Floor.allCases.map { #""\#($0)",{"key":"\#($0)","name":"\#($0)","pages":1}"# }
        let text = "{\"books\":[\(books.joined(separator: ","))],\"floors\":[\(floors.joined(separator: ","))]}"
        for _ in 0..<20 {
            let (model, kept, _) = try Shelf.read(Array(text.utf8), storedBy: 1, for: name)
            let whole = try #require(kept).added(to: JSONGrammar.read(JSON.encode(object: model))).0
            for book in books { #expect(String(utf8: whole.text).contains(book)) }
            for floor in floors { #expect(String(utf8: whole.text).contains(floor)) }
        }
    }

    @Test("go with the object that they were in, and do not come back with another")
    func gone() async throws {
        let hosted = try hosted(Self.stored)
        #expect(try await !perform("drop-label", on: hosted).contains("logo"))
        #expect(try await !perform("put-label", on: hosted).contains("logo"))
        #expect(try await !perform("drop-guests", on: hosted).contains("fee"))
    }

    @Test("are none where all is known, and the text is what was stored")
    func none() async throws {
        let text = String(utf8: try JSON.encode(Album.Model()))
        #expect(String(utf8: try hosted(text).encodedModel()) == text)
    }

    @Test("are no longer said to be of an earlier version than they were stored by")
    func version() throws {
        let whole = String(utf8: try JSON.encode(Album.Model()))
        #expect(try hosted(whole, storedBy: 1).version == 1)
        #expect(try hosted(whole, storedBy: 7).version == 7)
    }
}
