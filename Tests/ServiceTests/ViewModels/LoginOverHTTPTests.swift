import TestSupport
import Testing
import ViewModels

@Suite("The login over HTTP")
struct LoginOverHTTPTests {
    static let table = [
        (#"{}"#, "IDとPasswordが未入力です。", "ID and password are missing.", "red"),
        (#"{"id":null,"password":null}"#, "IDとPasswordが未入力です。", "ID and password are missing.", "red"),
        (#"{"password":""}"#, "IDが未入力です。", "ID is missing.", "red"),
        (#"{"password":"p"}"#, "IDが未入力です。", "ID is missing.", "red"),
        (#"{"id":""}"#, "Passwordが未入力です。", "Password is missing.", "red"),
        (#"{"id":"i","password":null}"#, "Passwordが未入力です。", "Password is missing.", "red"),
        (#"{"id":"","password":""}"#, "IDとPasswordが未入力です。", "ID and password are missing.", "red"),
        (#"{"id":"","password":"p"}"#, "IDが未入力です。", "ID is missing.", "red"),
        (#"{"id":"i","password":""}"#, "Passwordが未入力です。", "Password is missing.", "red"),
        (#"{"id":"i","password":"p"}"#, "OK!!!", "OK!!!", "green"),
    ]

    @Test("a failed validation is presentation state, in the session's language", arguments: table)
    func validate(body: String, japanese: String, english: String, color: String) async throws {
        try await withService { service in
            for (language, text) in [("ja", japanese), ("en", english)] {
                let token = try await service.begin("Accept-Language: \(language)")
                let answer = try await service.post("/login/validate", json: body, "Authorization: Bearer \(token)")
                #expect(answer.status == 200)
                #expect(answer.text == #"{"text":"\#(text)","color":"\#(color)"}"#)
            }
        }
    }

    @Test("before the first validation it asks for both, without a colour")
    func initial() async throws {
        try await withService { service in
            let answer = try await service.get("/login")
            #expect(answer.text == #"{"text":"IDとPasswordを入力してください。","color":null}"#)
        }
    }

    @Test("the public session speaks Japanese, whatever its caller likes")
    func publicSession() async throws {
        try await withService { service in
            let answer = try await service.get("/login", "Accept-Language: en")
            #expect(answer.text == #"{"text":"IDとPasswordを入力してください。","color":null}"#)
        }
    }

    static let japanese = "IDとPasswordを入力してください。"
    static let english = "Enter your ID and password."

    @Test(
        "a session speaks the language its beginner likes best, of those there are",
        arguments: [
            (nil, japanese), ("", japanese), ("ja", japanese), ("en", english), ("EN", english), ("en-GB", english),
            ("ja-JP", japanese), ("fr", japanese), ("*", japanese), ("fr, *", japanese), ("fr, en;q=0.1", english),
            ("en;q=0.4, ja;q=0.5", japanese), ("ja;q=0.4, en;q=0.5", english), ("en, ja", english),
            ("ja, en", japanese), ("en;q=0", japanese), ("ja;q=0, *", english), ("ja;q=0, en;q=0", japanese),
            ("*;q=0.5, en;q=0.8", english), ("*;q=0.5, en;q=0.1", japanese), ("*, en", english),
            ("fr-CH, fr;q=0.9, en;q=0.8, de;q=0.7, *;q=0.5", english), ("en;q=nonsense", japanese),
            ("en;q=2, ja;q=0.1", japanese), ("english", japanese), (",,;;q=,", japanese),
        ] as [(String?, String)])
    func language(header: String?, text: String) async throws {
        try await withService { service in
            let answer = try await service.ask("POST", "/sessions", header.map { ["Accept-Language: \($0)"] } ?? [])
            let token = try #require(try answer.json()["token"]?.string)
            let login = try await service.get("/login", "Authorization: Bearer \(token)").json()
            #expect(login["text"] == .string(text))
        }
    }
}
