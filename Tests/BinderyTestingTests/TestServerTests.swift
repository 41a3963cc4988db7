import BinderyKit
import BinderyTesting
import Entities
import Foundation
import Samples
import Testing

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Protects the tools that hosts test with.
@Suite("A server in a test")
struct TestServerTests {
    @Test("serves view models over HTTP, each session for itself")
    func serves() async throws {
        try await withServer(viewModels: Declaration.samples) { server in
            let (first, second) = (try await server.session(), try await server.session())
            let counter = try await first.viewModel(Counter.self)
            try await counter.increment()
            #expect(counter.text.value == "1")
            #expect(try await second.viewModel(Counter.self).text.value == "0")
        }
    }

    @Test("shows the whole history of an output, each change once", arguments: [false, true])
    func history(isPublic: Bool) async throws {
        try await withServer(viewModels: [.hosting(Counter.self)]) { server in
            let session = isPublic ? server.publicSession : try await server.session()
            let (enabled, text) = (
                try await server.history(of: \Counter.enabled, in: session),
                try await server.history(of: \Counter.text, in: session)
            )
            let counter = try await session.viewModel(Counter.self)
            try await counter.increment()
            try await counter.increment()
            try await counter.decrement()
            await #expect(throws: RemoteProblem.self) { for _ in 0..<2 { try await counter.decrement() } }
            #expect(try text.values() == ["0", "1", "2", "1", "0"])
            #expect(try enabled.values() == [false, true, false])
        }
    }

    @Test("has a time that stands still until the test moves it")
    func clock() async throws {
        try await withServer(viewModels: [.hosting(Counter.self)]) { server in
            let session = try await server.session()
            let url = server.url.appending(path: "changes").appending(queryItems: [.init(name: "wait", value: "20")])
            var request = URLRequest(url: url)
            request.setValue("Bearer \(session.token ?? "")", forHTTPHeaderField: "Authorization")
            let (first, _) = try await URLSession.shared.data(for: request)
            let cursor =
                try #require(try JSONSerialization.jsonObject(with: first) as? [String: Any])["cursor"] as? String
            request.url = url.appending(queryItems: [.init(name: "since", value: cursor)])
            let poll = Task { [request] in try await URLSession.shared.data(for: request).0 }
            try await server.clock.deadline(in: .seconds(17) ... .seconds(20))
            server.clock.advance(by: .seconds(20))
            #expect(String(decoding: try await poll.value, as: UTF8.self).hasPrefix(#"{"kind":"idle""#))
        }
    }

    @Test("ends sessions that nobody used for their time to live, once the clock has passed it")
    func expiry() async throws {
        var options = BinderyServer.Options()
        options.sessions.timeToLive = .seconds(900)
        try await withServer(viewModels: [.hosting(Counter.self)], options: options) { server in
            let session = try await server.session()
            server.clock.advance(by: .seconds(1_100))
            let problem = await #expect(throws: RemoteProblem.self) { try await session.viewModel(Counter.self) }
            #expect(problem?.status == 401)
        }
    }

    @Test("starts again on its store and its port, also as another build")
    func restart() async throws {
        try await withServer(viewModels: Declaration.samples) { server in
            let session = try await server.session()
            try await session.viewModel(Counter.self).increment()
            try await server.restart(viewModels: [.hosting(Counter.self)])
            #expect(try await session.viewModel(Counter.self).text.value == "1")
            let problem = await #expect(throws: RemoteProblem.self) { try await session.viewModel(Login.self) }
            #expect(problem?.status == 404)
        }
    }

    @Test("a program is tested with its own view models, languages and options")
    func program() async throws {
        struct Tight: BinderyProgram {
            static let viewModels = Declaration.samples
            static let languages = Languages(.japanese, .english)
            static var options: BinderyServer.Options {
                var options = BinderyServer.Options()
                options.service.hasPublicSession = false
                return options
            }
        }
        try await withServer(Tight.self) { server in
            let japanese = try await server.session(language: "ja").viewModel(Login.self)
            #expect(try japanese.output("text", as: String.self).value == "IDとPasswordを入力してください。")
            let problem = await #expect(throws: RemoteProblem.self) {
                try await server.publicSession.viewModel(Counter.self)
            }
            #expect(problem?.status == 401)
        }
    }
}
