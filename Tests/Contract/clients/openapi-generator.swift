// A session through the client that openapi-generator makes for Swift: session URL
import OpenAPIClient

func check(_ isTrue: Bool, _ sentence: String) {
    if !isTrue { fatalError("not so: \(sentence)") }
}

func status(_ request: @Sendable () async throws -> Void) async -> Int {
    do {
        try await request()
        return 200
    } catch ErrorResponse.error(let status, _, _, _) {
        return status
    } catch {
        return 0
    }
}

@main
enum Session {
    static func main() async throws {
        let configuration = OpenAPIClientAPIConfiguration.shared
        configuration.basePath = CommandLine.arguments[1]
        let begun = try await SessionsAPI.beginSession()
        configuration.customHeaders["Authorization"] = "Bearer \(begun.token)"

        let index = try await ServiceAPI.showIndex()
        check(index.viewModels[0].path == "/counter", "the index leads to the view models")
        let refused = await status { _ = try await CounterAPI.decrementCounter() }
        check(refused == 409, "decrement is disabled")
        let acted = try await CounterAPI.incrementCounterWithRequestBuilder(idempotencyKey: "once").execute()
        check(acted.body.text == "1", "increment counts")
        let again = try await CounterAPI.incrementCounter(idempotencyKey: "once")
        check(again.text == "1", "once for a key")
        let login = try await LoginAPI.validateLogin(validateLoginRequest: .init(id: "taro", password: "himitsu"))
        check(login.color == .green, "login is validated")

        let delta = try await ChangesAPI.getChanges(since: begun.cursor, topics: [.counter])
        check(delta.kind == .delta && delta.changes[0].value == .string("1"), "the changes are told")
        let both = try await ChangesAPI.getChanges(since: begun.cursor, topics: [.counter, .login])
        check(both.changes.map(\.viewModel).suffix(3) == ["counter", "login", "login"], "two topics are told together")
        let idle = try await ChangesAPI.getChanges(since: delta.cursor, wait: 0)
        check(idle.kind == .idle && idle.changes.isEmpty, "nothing more has changed")
        let etag = acted.header.first { $0.key.lowercased() == "etag" }?.value
        let after = try await ChangesAPI.getChanges(since: etag, wait: 0)
        check(after.changes[0].viewModel == "login", "the ETag is a cursor")

        try await SessionsAPI.endSession()
        let ended = await status { _ = try await CounterAPI.getCounter() }
        check(ended == 401, "the session has ended")
    }
}
