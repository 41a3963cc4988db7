import Foundation
import Samples
import TestSupport
import Testing
import ViewModels

@Suite("login")
struct LoginTests {
    struct Entry: Sendable, CustomTestStringConvertible {
        let id: String?
        let password: String?
        let outcome: LoginOutcome
        var testDescription: String { "\(id ?? "null"), \(password ?? "null")" }
    }

    static let entries = [
        Entry(id: nil, password: nil, outcome: .invalidIdAndPassword),
        Entry(id: nil, password: "", outcome: .invalidId),
        Entry(id: nil, password: "p", outcome: .invalidId),
        Entry(id: "", password: nil, outcome: .invalidPassword),
        Entry(id: "i", password: nil, outcome: .invalidPassword),
        Entry(id: "", password: "", outcome: .invalidIdAndPassword),
        Entry(id: "", password: "p", outcome: .invalidId),
        Entry(id: "i", password: "", outcome: .invalidPassword),
        Entry(id: "i", password: "p", outcome: .ok),
    ]

    @Test("the rule judges each pair of entries as the table says", arguments: entries)
    func outcomes(entry: Entry) {
        #expect(LoginValidator().validate(id: entry.id, password: entry.password) == entry.outcome)
    }

    struct Words: Sendable, CustomTestStringConvertible {
        let outcome: LoginOutcome?
        let japanese: String
        let english: String
        let color: LoginViewModel.Color?
        var testDescription: String { outcome?.rawValue ?? "initial" }
    }

    static let words = [
        Words(outcome: .ok, japanese: "OK!!!", english: "OK!!!", color: .green),
        Words(
            outcome: .invalidIdAndPassword, japanese: "IDとPasswordが未入力です。",
            english: "ID and password are missing.", color: .red),
        Words(outcome: .invalidId, japanese: "IDが未入力です。", english: "ID is missing.", color: .red),
        Words(outcome: .invalidPassword, japanese: "Passwordが未入力です。", english: "Password is missing.", color: .red),
        Words(
            outcome: nil, japanese: "IDとPasswordを入力してください。", english: "Enter your ID and password.", color: nil),
    ]

    @Test(
        "speaks of an outcome in the session's language, in its colour", arguments: words,
        Catalogue.samples.languages.all)
    func speaks(words: Words, language: Language) {
        var model = LoginViewModel.Model()
        model.outcome = words.outcome
        let login = LoginViewModel(model: model, language: language)
        #expect(login.text.value == (language == .japanese ? words.japanese : words.english))
        #expect(login.color.value == words.color)
    }

    @Test("each outcome has its line in the table of words")
    func wordsAreComplete() { #expect(Set(Self.words.compactMap(\.outcome)) == Set(LoginOutcome.allCases)) }

    @Test("from empty to entered: text and colour go through their values in order")
    func history() {
        let login = LoginViewModel()
        let center = NotificationCenter()
        let text = History<String>()
        let color = History<LoginViewModel.Color?>()
        center.observe(login.text) { text.note($0) }
        center.observe(login.color) { color.note($0) }
        login.validate(.init())
        login.validate(.init(id: "i"))
        login.validate(.init(id: "i", password: "p"))
        #expect(
            text.changes == ["IDとPasswordを入力してください。", "IDとPasswordが未入力です。", "Passwordが未入力です。", "OK!!!"])
        #expect(color.changes == [nil, .red, .green])
    }

    @Test(
        "a missing member and a null one are the same",
        arguments: ["{}", #"{"id":null}"#, #"{"id":null,"password":null}"#])
    func missingIsNull(body: String) async throws {
        let login = try HostedBench(.samples, "login")
        try await login.perform("validate", body)
        #expect(try login.output("text") == "IDとPasswordが未入力です。")
    }

    @Test("nothing typed is kept in the model or shown in an output", arguments: Catalogue.samples.languages.all)
    func keepsNothing(language: Language) async throws {
        let login = try HostedBench(.samples, "login", language: language)
        try await login.perform("validate", #"{"id":"taro-yamada","password":"hunter2-secret"}"#)
        let kept = String(utf8: try login.hosted.encodedModel())
        #expect(kept == #"{"outcome":"ok"}"#)
        for output in ["text", "color"] {
            let shown = try login.output(output)
            #expect(shown != "taro-yamada" && shown != "hunter2-secret")
        }
    }

    @Test("an injected validator judges instead")
    func injectedValidator() {
        let login = LoginViewModel(validator: Strict())
        login.validate(.init(id: "taro", password: "himitsu"))
        #expect(login.model.outcome == .invalidPassword)
        login.validate(.init(id: "taro", password: "correct horse battery staple"))
        #expect(login.model.outcome == .ok)
        #expect(login.text.value == "OK!!!")
    }

    private struct Strict: LoginValidating {
        func validate(id: String?, password: String?) -> LoginOutcome {
            (password ?? "").count < 20 ? .invalidPassword : .ok
        }
    }
}
