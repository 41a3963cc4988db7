import HTTP
import Samples
import Sessions
import StandIns
import TestSupport
import Testing
import ViewModels

@testable import Service

@Suite("The words of problems")
struct WordingTests {
    private static let wrong: [(method: String, path: String, body: String?, slug: String, detail: String)] = [
        ("GET", "/countr", nil, "not-found", "このパスには何もありません。/counter のことですか。何があるかは GET / で分かります。"),
        ("DELETE", "/counter", nil, "method-not-allowed", "このパスで使えるのは GET, HEAD だけです。"),
        ("GET", "/counter?x=1", nil, "malformed-query", "このパスにクエリはありません。疑問符から後を取り除いてください。"),
        (
            "GET", "/changes?sinse=1", nil, "malformed-query",
            "since のことですか。このパスのパラメーターは since, wait, topics and values です。"
        ),
        ("DELETE", "/session", nil, "public-session", JapaneseProblems.texts["public-session"]?.detail ?? ""),
        ("POST", "/login/validate", nil, "malformed-json", "このアクションには JSON の本文が必要です。"),
        ("POST", "/login/validate", "{", "malformed-json", "正しい JSON を UTF-8 で送ってください (RFC 8259)。"),
        (
            "POST", "/login/validate", #"{"idd":"a"}"#, "wrong-shape",
            "pointer が示すメンバーは知られていません。使えるのは \"id\", \"password\" です。"
        ),
    ]

    @Test("are Japanese for who likes that best, and all else of the problem is the same", arguments: wrong)
    func japanese(method: String, path: String, body: String?, slug: String, detail: String) async throws {
        try await withService { service in
            let json = body.map { _ in ["Content-Type: application/json"] } ?? []
            let asked = try await service.ask(method, path, json + ["Accept-Language: ja, en;q=0.5"], body: body)
            let english = try await service.ask(method, path, json, body: body)
            let (said, known) = (try asked.json(), try english.json())
            #expect(said["type"] == .string("/problems/\(slug)"))
            #expect(said["title"]?.string == JapaneseProblems.texts[slug]?.title)
            #expect(said["detail"]?.string == detail)
            for name in ["type", "status", "pointer"] { #expect(said[name] == known[name]) }
            #expect(known["title"]?.string == ProblemType.all.first { $0.slug == slug }?.title)
            #expect(asked["Content-Language"] == "ja" && english["Content-Language"] == "en")
            #expect(asked["Vary"] == "Accept-Language" && english["Vary"] == "Accept-Language")
        }
    }

    @Test("are English for who likes another language better than those that there are")
    func english() async throws {
        try await withService { service in
            for languages in ["fr", "de-CH, *;q=0.1", "ja;q=0", "en-GB, ja;q=0.9", "Klingon!"] {
                let answer = try await service.get("/nothing", "Accept-Language: \(languages)")
                #expect(try answer.json()["title"] == "Not found")
                #expect(answer["Content-Language"] == "en")
            }
        }
    }

    @Test("of every type of the service's own there are in Japanese")
    func complete() {
        for type in ProblemType.ofService + ProblemType.ofServer {
            #expect(JapaneseProblems.texts[type.slug] != nil, "\(type.slug)")
        }
        #expect(Set(JapaneseProblems.titles.keys) == Set(ProblemType.ofViewModels.map(\.slug)))
        let slugs = Set((ProblemType.ofService + ProblemType.ofServer).map(\.slug))
        #expect(slugs.isSuperset(of: JapaneseProblems.texts.keys))
    }

    @Test("that are left for later are those of who asks, too: what the store does to an action")
    func later() async throws {
        try await withService { service in
            _ = try await service.get("/counter")
            service.store.next(.commit, .refuse)
            let answer = try await service.post("/counter/increment", "Accept-Language: ja")
            #expect(try answer.json()["title"] == "ストアが応答しません")
            #expect(try answer.json()["detail"]?.string?.contains("アクションは始まっていたかもしれず") == true)
            #expect(answer["Content-Language"] == "ja")
        }
    }

    @Test("of a view model's refusal stay its own, and nobody says in which language they are")
    func refusal() async throws {
        try await withService { service in
            let answer = try await service.post("/counter/decrement", "Accept-Language: ja")
            let english = try await service.post("/counter/decrement")
            #expect(try answer.json()["title"] == "このアクションは今は使えません")
            #expect(try answer.json()["detail"] == english.json()["detail"])
            #expect(answer["Content-Language"] == nil && english["Content-Language"] == nil)
            #expect(answer["ETag"] == english["ETag"])
        }
    }

    @Test("are translated by the host: its refusals, what the service says, and into languages of its own")
    func host() async throws {
        try await withService { options in
            options.service.wording = ProblemWording(also: "de") { problem, language in
                switch (problem.type, language) {
                case ("action-disabled", "de"): ProblemText(title: "Jetzt nicht", detail: "(\(problem.text.detail))")
                case ("not-found", "de"): ProblemText(title: "Nichts da", detail: "\(problem.status)")
                case ("not-found", "en"): ProblemText(title: "Nope", detail: "Nothing here.")
                default: nil
                }
            }
        } _: { service in
            let refused = try await service.post("/counter/decrement").json()["detail"]?.string ?? ""
            let german = "Accept-Language: de-AT, ja;q=0.5"
            let answer = try await service.post("/counter/decrement", german)
            #expect(try answer.json()["title"] == "Jetzt nicht")
            #expect(try answer.json()["detail"]?.string == "(\(refused))")
            #expect(try answer.json()["state"] != nil)
            #expect(answer.status == 409 && answer["Content-Language"] == "de")
            let missing = try await service.get("/nothing", german)
            #expect(try missing.json()["detail"] == "404")
            #expect(missing["Content-Language"] == "de")
            #expect(try await service.get("/nothing").json()["title"] == "Nope")
            // What it has no German words for.
            let other = try await service.delete("/session", german)
            #expect(try other.json()["title"] == "The public session is everybody's")
            #expect(other["Content-Language"] == "en")
        }
    }

    @Test("under a key are said again as they were the first time")
    func kept() async throws {
        try await withService { service in
            let key = "Idempotency-Key: a"
            let first = try await service.post("/counter/decrement", key, "Accept-Language: ja")
            let again = try await service.post("/counter/decrement", key, "Accept-Language: en")
            #expect(try first.json()["title"] == "このアクションは今は使えません")
            #expect(again["Idempotency-Replayed"] == "true")
            #expect(again.text == first.text)
        }
    }

    @Test("for a page of an allowed origin vary by both")
    func origin() async throws {
        try await withService { options in
            options.service.allowedOrigins = Set([WebOrigin("https://app.example.org")].compactMap(\.self))
        } _: { service in
            for path in ["/nothing", "/counter?x=1"] {
                let answer = try await service.get(path, "Origin: https://app.example.org", "Accept-Language: ja")
                #expect(answer.count(of: "Vary") == 2)
                #expect(answer["Access-Control-Allow-Origin"] == "https://app.example.org")
                #expect(answer["Content-Language"] == "ja")
            }
        }
    }
}
