import Foundation
import Testing

@testable import Samples
@testable import ViewModels

/// Protects stored state from a newer build.
@Suite("Stored view models")
struct StoredTests {
    struct Album: ViewModel {
        struct Cover: Codable, Sendable {
            var color = "red"
            var width = 10
        }
        struct Track: Codable, Sendable { var title: String }
        var name = "untitled"
        var cents = 0
        var cover = Cover()
        var note: String? = "new"
        var tags = ["a": 1]
        var tracks: [Track] = []

        static let version = 3
        static func migrate(_ stored: inout JSONObject, from version: Int) throws {
            if version < 2 { stored.rename("title", to: "name") }
            if version < 3 { try stored.set("cents", to: stored.decode("euros", as: Int.self) * 100) }
            if version < 3 { stored["euros"] = nil }
        }
        static let interface = Interface<Album>("album") {
            Output("name", \.name)
            Output("width") { $0.cover.width }
            Action("rename", example: "x") { $0.name = $1 }
            Action("forget") { $0.note = nil }
        }
    }

    let session: Session

    init() throws { session = try Session(.hosting(Album.self)) }

    static let beginning = #"{"cents":0,"cover":{"color":"red","width":10},"name":"untitled","#

    @Test("a missing member has the value of init(), also inside of a nested structure")
    func missing() throws {
        try session.load("album", #"{"cover":{"color":"blue"}}"#, version: 3)
        #expect(
            try session.stored("album")
                == #"{"cents":0,"cover":{"color":"blue","width":10},"name":"untitled","tags":{"a":1},"tracks":[]}"#)
    }

    @Test("a missing optional is nil, and a dictionary gets no entries from init()")
    func optionals() throws {
        try session.load("album", #"{"tags":{"b":2},"note":null}"#, version: 3)
        #expect(try session.stored("album") == Self.beginning + #""tags":{"b":2},"tracks":[]}"#)
    }

    @Test("a later action writes nil, and a reload keeps it")
    func nilAgain() throws {
        try session.run("album/forget")
        let stored = try session.stored("album")
        try session.load("album", stored, version: 3)
        #expect(try session.stored("album") == stored)
        #expect(!stored.contains("note"))
    }

    @Test("unknown members of the outermost object are kept and stored again")
    func unknown() throws {
        try session.load("album", #"{"later":[1,{"x":"é"}],"name":"one","cover":{"gone":1}}"#, version: 3)
        try session.run("album/rename", #""two""#)
        #expect(try session.stored("album").contains(#","later":[1,{"x":"é"}],"name":"two","#))
        #expect(try !session.stored("album").contains("gone"))
    }

    @Test("an earlier version is migrated")
    func migration() throws {
        try session.load("album", #"{"title":"old","euros":3}"#)
        #expect(try session.stored("album").hasPrefix(#"{"cents":300,"cover":"#))
        #expect(try session.body("album") == #"{"name":"old","width":10}"#)
        try session.load("album", #"{"name":"old","euros":4}"#, version: 2)
        #expect(try session.stored("album").hasPrefix(#"{"cents":400,"#))
    }

    @Test(
        "what this build cannot read is said without what is stored",
        arguments: [
            (#"{"name":"x"}"#, 4, "a later version than 3 stored it"), (#"{"name":"#, 3, "it is not a JSON object"),
            ("[]", 3, "it is not a JSON object"), (#"{"name":"x"}"#, 1, "migrate(_:from:) failed"),
            (#"{"name":7}"#, 3, "the member name is missing or has another type"),
            (#"{"cover":{"width":"secret"}}"#, 3, "the member cover is missing or has another type"),
            (#"{"tracks":[{}]}"#, 3, "the member tracks is missing or has another type"),
            (#"{"name":null}"#, 3, "the member name is missing or has another type"),
        ])
    func unreadable(stored: String, version: Int, reason: String) {
        let error = #expect(throws: ModelUnreadable.self) {
            try session.load("album", stored, version: version)
        }
        #expect(error?.description == "album: \(reason) (stored by version \(version))")
        #expect(error?.description.contains("secret") == false)
    }

    @Test("a state whose outputs have no JSON form is not read")
    func outputs() throws {
        struct Ratio: ViewModel {
            var divisor = 1.0
            static let interface = Interface<Ratio>("ratio") {
                Output("ratio") { 1 / $0.divisor }
                Action("set", example: 2.0) { $0.divisor = $1 }
            }
        }
        let session = try Session(.hosting(Ratio.self))
        #expect(throws: ModelUnreadable.self) { try session.load("ratio", #"{"divisor":0}"#) }
        #expect(throws: DeclarationFault.self) { try session.run("ratio/set", "0") }
        #expect(try session.body("ratio") == #"{"ratio":1}"#)
    }

    @Test("the model of a class is stored by the same rules")
    func object() throws {
        let session = try Session(.hosting(CounterObject.self))
        try session.load("counter-object", #"{"other":true}"#)
        try session.run("counter-object/increment")
        #expect(try session.stored("counter-object") == #"{"count":1,"other":true}"#)
    }
}
