import BinderyKit
import BinderyTesting
import Samples
import Testing

struct LongPasswords: LoginValidating {
    func validate(id: String?, password: String?) -> LoginOutcome {
        (password?.count ?? 0) < 12 ? .invalidPassword : .ok
    }
}

let strictLogin = Declaration.hosting {
    LoginViewModel(model: $0, language: $1.language, validator: LongPasswords())
}

@Test("a login is judged by the validator that it is given")
func strict() async throws {
    try await withServer(viewModels: [strictLogin], languages: Languages(.japanese, .english)) { server in
        let login = try await server.session(language: .english).viewModel(LoginViewModel.self)
        let short = LoginViewModel.Credentials(id: "taro", password: "himitsu")
        #expect(try await login.act("validate", short).text == "Password is missing.")
    }
}
