import BinderyKit
import BinderyTesting
import Foundation
import FoundationNetworking
import Samples
import Testing

struct Shop: BinderyProgram {
    static let viewModels: [Declaration] = [
        .hosting(CounterViewModel.init(model:)),
        .hosting { LoginViewModel(model: $0, language: $1.language) },
    ]
    static let languages = Languages(.english, .japanese, "de")

    static var options: BinderyServer.Options {
        var options = BinderyServer.Options()
        options.service.wording = ProblemWording(also: "de") { problem, language in
            guard language == "de", problem.type == "action-disabled" else { return nil }
            return ProblemText(title: "Das geht jetzt nicht", detail: "Der Zähler steht auf null.")
        }
        return options
    }
}

private func refused(_ server: TestServer, in language: String) async throws -> String {
    var request = URLRequest(url: server.url.appending(path: "counter/decrement"))
    request.httpMethod = "POST"
    // However busy the machine is.
    request.timeoutInterval = 24 * 60 * 60
    request.setValue(language, forHTTPHeaderField: "Accept-Language")
    return String(decoding: try await URLSession.shared.data(for: request).0, as: UTF8.self)
}

@Test("a refusal is told in the host's words to who asks in its language, and as it was thrown to others")
func wording() async throws {
    var options = TestServer.options
    options.service.wording = Shop.options.service.wording
    try await withServer(viewModels: Shop.viewModels, languages: Shop.languages, options: options) { server in
        let german = try await refused(server, in: "de-CH")
        #expect(german.contains("Der Zähler steht auf null."))
        let others = try await refused(server, in: "fr")
        #expect(others.contains("The counter is at zero; increment it first."))
    }
}

@Test("a change of language is told as a change of what is shown")
func changedLanguage() async throws {
    try await withServer(viewModels: Shop.viewModels, languages: Shop.languages) { server in
        let login = try await server.session(language: .english).viewModel(LoginViewModel.self)
        let text = try await server.history(of: \.text, in: login)
        try await login.session.changeLanguage(to: .japanese)
        #expect(try text.values() == ["Enter your ID and password.", "IDとPasswordを入力してください。"])
    }
}
