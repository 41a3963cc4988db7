public enum Method: String, Sendable { case get = "GET", head = "HEAD", post = "POST", delete = "DELETE" }
public enum HeaderName: Sendable {
    case authorization, cookie, host, origin, secFetchSite, contentType, accept, acceptLanguage, ifMatch, ifNoneMatch,
        idempotencyKey, lastEventID
}
public struct Request: Sendable {
    public var id: String; public var method: Method; public var path: String
    public func parameter(_ n: String) -> String? { nil }
    public func query() throws -> Query { Query() }
    public func header(_ n: HeaderName) -> String? { nil }
    public func isRepeated(_ n: HeaderName) -> Bool { false }
    public var body: [UInt8] { [] }
}
public struct Query: Sendable {
    public subscript(n: String) -> String? { nil }; public func values(_ n: String) -> [String] { [] }
}
public struct Header: Sendable { public init(_ n: String, _ v: String) {} }
public struct Response: Sendable {
    public enum Body: Sendable { case bytes([UInt8]), empty, eventStream(@Sendable (EventStream) async -> Void) }
    public init(status: Int, headers: [Header] = [], body: Body = .empty, closesConnection: Bool = false) {};
    public var closesConnection: Bool {
        get { false }
        set {}
    }
}
public struct EventStream: Sendable {
    public func send(event: String, id: String?, data: [UInt8]) async throws {}
    public func send(retry: Int) async throws {}
}
public struct Problem: Error, Sendable {
    public init(
        slug: String, title: String, status: Int, detail: String, members: [(name: String, json: [UInt8])] = [],
        headers: [Header] = []
    ) {}
}
public typealias Handler = @Sendable (Request) async throws -> Response
public struct Route: Sendable {
    public let method: Method; public let template: String;
    public init(_ m: Method, _ t: String, handler: @escaping Handler) { method = m; template = t }
}
public struct ExchangeEntry: Sendable {
    public var method: String; public var route: String; public var status: Int; public var microseconds: Int;
    public var requestID: String
}
public protocol ExchangeLog: Sendable { func record(_ e: ExchangeEntry) }
public struct ServerLimits: Sendable { public var threads = 2; public init() {} }
public final class Server: Sendable {
    public init(routes: [Route], limits: ServerLimits, log: (any ExchangeLog)?) {}
    public func start(host: String, port: UInt16) throws -> UInt16 { port }
    public func beginDraining() {}
    public func stop(within: Duration) async {}
    public var fileDescriptorLimit: Int { 0 }
}
