import HTTP
import TestSupport
import Testing

/// Protects that a path leads to one route.
@Suite("Routing", .timeLimit(.minutes(5)))
struct RoutingTests {
    static let routes = [
        Route(.get, "/") { _ in .text("root") },
        Route(.get, "/counter") { _ in .text("counter") },
        Route(.put, "/counter") { _ in .text("put") },
        Route(.get, "/{name}") { request in .text("name \(request.parameter("name") ?? "nil")") },
        Route(.get, "/{name}/{facet}") { request in
            .text("facet \(request.parameter("name") ?? "nil") \(request.parameter("facet") ?? "nil")")
        },
        Route(.post, "/{name}/{action}") { request in
            .text("act \(request.parameter("name") ?? "nil") \(request.parameter("action") ?? "nil")")
        },
        Route(.get, "/counter/increment") { _ in .text("literal") },
        Route(.get, "/pages/") { _ in .text("pages") },
        Route(.delete, "/deep/{a}/b/{c}") { request in
            .text("\(request.parameter("a") ?? "nil")|\(request.parameter("c") ?? "nil")")
        },
    ]

    @Test(
        "a path finds its route",
        arguments: [
            ("GET", "/", "root"), ("GET", "/counter", "counter"), ("PUT", "/counter", "put"),
            ("GET", "/login", "name login"), ("GET", "/counter?x=/y", "counter"),
            ("GET", "/a/b", "facet a b"), ("POST", "/counter/increment", "act counter increment"),
            ("GET", "/counter/increment", "literal"), ("DELETE", "/deep/1/b/2", "1|2"),
            ("GET", "/a%20b", "name a b"), ("GET", "/a%2Fb", "name a/b"), ("GET", "/%63ounter", "name counter"),
            ("GET", "/%C3%A9", "name é"), ("GET", "http://test/counter", "counter"),
            ("GET", "/pages/", "pages"), ("GET", "/pages", "name pages"), ("GET", "HTTP://TEST", "root"),
            ("GET", "http://test?wait=0", "root"),
        ])
    func findsRoute(method: String, target: String, text: String) async throws {
        try await withServer(Self.routes) { live in
            let response = try await live.exchange("\(method) \(target) HTTP/1.1\r\nHost: test\r\n\r\n")
            #expect(response.status == 200)
            #expect(response.text == text)
        }
    }

    @Test("a path without a route is 404", arguments: ["/a/b/c", "/counter/", "/pages//", "//", "/deep/1/b", "/a/"])
    func unknownPath(target: String) async throws {
        try await withServer(Self.routes) { live in
            let response = try await live.exchange("GET \(target) HTTP/1.1\r\nHost: test\r\n\r\n")
            #expect(response.status == 404)
            #expect(response["Content-Type"] == "application/problem+json")
            #expect(response.text.contains(#""type":"/problems/not-found""#))
            #expect(response.text.contains(#""instance":"\#(response["Request-Id"] ?? "none")""#))
        }
    }

    @Test(
        "a method a path has not is 405 and says which it has",
        arguments: [
            ("POST", "/counter", "PUT, GET, HEAD"), ("DELETE", "/a/b", "GET, HEAD, POST"),
            ("OPTIONS", "/deep/1/b/2", "DELETE"), ("OPTIONSX", "/deep/1/b/2", "DELETE"), ("BREW", "/", "GET, HEAD"),
            ("GET", "/deep/1/b/2", "DELETE"),
            ("HEAD", "/deep/1/b/2", "DELETE"), ("PATCH", "/counter/increment", "GET, HEAD, POST"),
        ])
    func unknownMethod(method: String, target: String, allow: String) async throws {
        try await withServer(Self.routes) { live in
            let response = try await live.exchange(
                "\(method) \(target) HTTP/1.1\r\nHost: test\r\n\r\n", hasBody: method != "HEAD")
            #expect(response.status == 405)
            #expect(Set(response["Allow"]?.split(separator: ", ") ?? []) == Set(allow.split(separator: ", ")))
            #expect(response["Request-Id"] != nil)
        }
    }

    @Test(
        "a path that cannot be decoded is 400",
        arguments: ["http://other.example/", "/a#b", "/\u{e9}", "/%", "/%4", "/%zz", "/a/%00", "/%2"])
    func malformedPath(target: String) async throws {
        try await withServer(Self.routes) { live in
            let response = try await live.exchange("GET \(target) HTTP/1.1\r\nHost: test\r\n\r\n")
            #expect(response.status == 400)
            #expect(response["Content-Type"] == "application/problem+json")
        }
    }
}
