import Testing
import ViewModels

@testable import Samples

/// Protects the login's table, and that nothing typed is kept.
@Suite("login")
struct LoginTests {
    /// The bodies and their outcomes; nil is a missing field.
    static let entries: [(id: String?, password: String?, outcome: LoginOutcome)] = [
        (nil, nil, .invalidIdAndPassword), (nil, "", .invalidId), (nil, "p", .invalidId), ("", nil, .invalidPassword),
        ("i", nil, .invalidPassword), ("", "", .invalidIdAndPassword), ("", "p", .invalidId),
        ("i", "", .invalidPassword), ("i", "p", .ok),
    ]

    @Test("the rule judges each pair of fields as the table says", arguments: entries)
    func outcomes(id: String?, password: String?, outcome: LoginOutcome) {
        #expect(LoginValidator().validate(id: id, password: password) == outcome)
    }

    static let texts: [(outcome: LoginOutcome?, japanese: String, english: String, color: String)] = [
        (nil, "IDとPasswordを入力してください。", "Enter your ID and password.", "null"),
        (.ok, "OK!!!", "OK!!!", #""green""#),
        (.invalidIdAndPassword, "IDとPasswordが未入力です。", "ID and password are missing.", #""red""#),
        (.invalidId, "IDが未入力です。", "ID is missing.", #""red""#),
        (.invalidPassword, "Passwordが未入力です。", "Password is missing.", #""red""#),
    ]

    @Test("an outcome has a text in the session's language, and a colour", arguments: texts)
    func speaks(outcome: LoginOutcome?, japanese: String, english: String, color: String) throws {
        let stored = outcome.map { #"{"outcome":"\#($0)"}"# } ?? "{}"
        let texts: [(Language, String)] = [("ja", japanese), ("en", english)]
        for (language, text) in texts {
            let login = try Bench("login", stored: stored, in: language)
            #expect(try login.shown() == #"{"text":"\#(text)","color":\#(color)}"#)
        }
    }

    @Test(
        "a missing field and a null one are the same",
        arguments: ["{}", #"{"id":null}"#, #"{"password":null}"#, #"{"id":null,"password":null}"#])
    func missingIsNull(body: String) async throws {
        let login = try Bench("login")
        try await login.run("validate", body)
        #expect(try login.stored == #"{"outcome":"invalidIdAndPassword"}"#)
    }

    @Test("a failed validation is no error, and can be followed by a good one")
    func mended() async throws {
        let login = try Bench("login", in: "en")
        try await login.run("validate", #"{"id":"taro"}"#)
        #expect(try login.shown() == #"{"text":"Password is missing.","color":"red"}"#)
        try await login.run("validate", #"{"id":"taro","password":"himitsu"}"#)
        #expect(try login.shown() == #"{"text":"OK!!!","color":"green"}"#)
    }

    @Test("nothing that was typed is stored or shown", arguments: ["ja", "en"] as [Language])
    func keepsNothing(language: Language) async throws {
        let login = try Bench("login", in: language)
        try await login.run("validate", #"{"id":"taro-yamada","password":"hunter2-secret"}"#)
        #expect(try login.stored == #"{"outcome":"ok"}"#)
        #expect(try login.shown() == #"{"text":"OK!!!","color":"green"}"#)
    }

    private struct Strict: LoginValidating {
        func validate(id: String?, password: String?) -> LoginOutcome {
            (password ?? "").count < 20 ? .invalidPassword : .ok
        }
    }

    @Test("another rule judges where the host gives one")
    func otherRule() async throws {
        let login = try Bench("login", hosting: [.hosting(Login.self, with: Strict())])
        try await login.run("validate", #"{"id":"taro","password":"himitsu"}"#)
        #expect(try login.stored == #"{"outcome":"invalidPassword"}"#)
    }
}
