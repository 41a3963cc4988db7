import Samples
import TestSupport
import Testing
import ViewModels

@testable import Service

@Suite("Around the view models")
struct AroundTests {
    private final class Impostor: ViewModel {
        struct Model: StoredModel { var count = 0 }

        static let interface = Interface<Impostor>("sessions") { Output("count", \.count) }
        var count: Int { model.count }
        let model: Model
        init(model: Model) { self.model = model }
    }

    @Test("a view model that is named as a path of the server's own keeps it from starting, and is named")
    func reserved() {
        var options = BinderyServer.Options()
        options.port = 0
        let server = BinderyServer(viewModels: [.hosting(Impostor.init(model:))], options: options)
        let error = #expect(throws: DeclarationFault.self) { try server.start() }
        #expect(
            error?.description
                == "sessions: a view model cannot have this name: bindery, changes, livez, readyz, session, sessions are paths of "
                + "the server itself")
    }

    private final class Doubled: ViewModel {
        struct Model: StoredModel { var count = 0 }

        static let interface = Interface<Doubled>("doubled") {
            Output("count", \.count)
            Output("count", \.count)
        }
        var count: Int { model.count }
        let model: Model
        init(model: Model) { self.model = model }
    }

    @Test("a name that stands twice, of a view model or of an output, keeps the server from starting, and is named")
    func doubled() {
        var options = BinderyServer.Options()
        options.port = 0
        let counter = Declaration.hosting(CounterViewModel.init(model:))
        let twins = BinderyServer(viewModels: [counter, counter], options: options)
        let twin = #expect(throws: DeclarationFault.self) { try twins.start() }
        #expect(twin?.description == "counter: two view models of the list have this name; give one another")
        let server = BinderyServer(viewModels: [.hosting(Doubled.init(model:))], options: options)
        let error = #expect(throws: DeclarationFault.self) { try server.start() }
        #expect(error?.description == "doubled: declares the output count twice")
    }

    @Test("GET / says what is here, and every link of it leads somewhere")
    func index() async throws {
        try await withService { service in
            let answer = try await service.get("/")
            let json = try answer.json()
            #expect(answer["Content-Type"] == "application/json")
            #expect(json["name"] == "Bindery")
            #expect(json["version"] == .string(Version.current))
            #expect(json["bindery"] == .string(Version.current))
            let links = try #require(json["links"])
            for name in ["changes", "session", "sessions", "description", "live", "ready"] {
                let path = try #require(links[name]?.string)
                let status = try await service.get(path).status
                #expect(name == "sessions" ? status == 405 : status == 200)
            }
        }
    }

    @Test("GET / lists every view model with what can be asked of it, and each request of it works as it stands")
    func requests() async throws {
        try await withService(of: .samples) { service in
            let viewModels = try #require(try await service.get("/").json()["viewModels"]?.array)
            #expect(viewModels.compactMap { $0["name"]?.string } == Catalogue.samples.viewModels.map(\.name.rawValue))
            for viewModel in viewModels {
                for shown in [viewModel] + (viewModel["facets"]?.array ?? []) {
                    #expect(shown["methods"] == ["GET", "HEAD"])
                    #expect(try await service.get(try #require(shown["path"]?.string)).status == 200)
                }
                for action in viewModel["actions"]?.array ?? [] {
                    #expect(action["methods"] == ["POST"])
                    let path = try #require(action["path"]?.string)
                    let declared = Catalogue.samples.viewModels.flatMap { viewModel in
                        viewModel.actions.filter { "/\(viewModel.name)/\($0.name)" == path }
                    }
                    let body = try #require(declared.first).input.map { String(decoding: $0.example, as: UTF8.self) }
                    #expect(try action["body"] == body.map { try JSONValue(Array($0.utf8)) })
                    let answer = try await service.post(path, json: body ?? "")
                    #expect([200, 409].contains(answer.status), "\(path): \(answer.text)")
                }
            }
        }
    }

    @Test("/livez and /readyz say that all is well")
    func health() async throws {
        try await withService { service in
            #expect(try await service.get("/livez").text == #"{"status":"alive"}"#)
            let ready = try await service.get("/readyz")
            #expect(ready.text == #"{"status":"ready"}"#)
            #expect(ready["Cache-Control"] == "no-store")
        }
    }

    @Test("/openapi.yaml serves the description")
    func description() async throws {
        try await withService { service in
            let answer = try await service.get("/openapi.yaml")
            #expect(answer["Content-Type"] == "application/yaml")
            let isDescribed = answer.body == OpenAPIDocument(catalogue: .counterAndLogin).bytes
            #expect(isDescribed)
        }
    }

    @Test("every problem, and every answer that is not shared, has a Request-Id of its own")
    func requestID() async throws {
        try await withService { service in
            let client = try await service.connect()
            var ids: Set<String> = []
            for path in ["/session", "/nothing", "/changes?wait=none", "/livez", "/counter/increment"] {
                ids.insert(try #require(try await client.get(path, "Request-Id: mine")["Request-Id"]))
            }
            #expect(ids.count == 5)
            #expect(!ids.contains("mine"))
        }
    }
}
