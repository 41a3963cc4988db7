import Events
import HTTP
import Sessions

// What is done for every request before and after its route, whatever the route.

extension Service {
    /// A route behind the door: asked under a name of ours, readable by the origins that are allowed, and with the
    /// bounds that it reaches told to the log.
    ///
    /// - Parameter takesQuery: whether the route reads the query; else one is refused.
    func admitting(_ route: Route, takesQuery: Bool) -> Route {
        Route(route.method, route.template) { [self, handler = route.handler] request in
            do {
                try checkHost(of: request)
                if !takesQuery { try request.query().check(known: []) }
                return readable(try handler(request), byOriginOf: request)
            } catch {
                noteBound(error, of: request)
                throw readable(error, byOriginOf: request)
            }
        }
    }

    /// An answer that takes an `await`: a session's failure as a problem, and the bounds that it reaches told to the log.
    func awaiting(
        _ request: Request, _ body: nonisolated(nonsending) @escaping @Sendable () async throws -> Response
    ) -> Response {
        .awaiting { [self] in
            do { return try await body() } catch {
                let error = Problem.of(error)
                noteBound(error, of: request)
                throw error
            }
        }
    }

    /// - Throws: ``Problem``, 421, where the server is not to be asked under that name, and 400 where nobody can tell what a proxy says.
    private func checkHost(of request: Request) throws {
        guard !request.isForwardedMalformed else {
            throw ProblemType.malformedHeader.problem(
                "The proxy sent X-Forwarded-Host or X-Forwarded-Proto twice, or two words in it: have it set the field to "
                    + "one, not add to it.")
        }
        guard let hosts = options.allowedHosts, !hosts.isAny else { return }
        let isAllowed =
            if var host = request.forwardedHost {
                host.withUTF8 { hosts.allow(UnsafeRawBufferPointer($0)) }
            } else {
                // HTTP/1.0 knows no Host; no browser of today speaks it.
                request.withHeader(.host) { hosts.allow($0) } ?? true
            }
        guard isAllowed else { throw ProblemType.misdirected.problem() }
    }

    private func readable(_ response: Response, byOriginOf request: Request) -> Response {
        guard let origin = crossSiteRule.allowedOrigin(of: request) else { return response }
        return response.readable(by: origin)
    }

    /// The error as an allowed origin may read it.
    private func readable(_ error: any Error, byOriginOf request: Request) -> any Error {
        guard var problem = error as? Problem, let origin = crossSiteRule.allowedOrigin(of: request) else {
            return error
        }
        problem.headers += Header.readable(by: origin)
        return problem
    }

    /// Tells the log of a problem that says that a bound was reached.
    func noteBound(_ error: any Error, of request: Request) {
        guard let problem = error as? Problem, let bound = bounds[problem.slug] else { return }
        pace.tell(
            .boundReached(bound.option, limit: bound.limit, by: request.client.network), alike: bound.option)
    }

    /// The options that set the bounds of which problems speak, by their slugs, and where they lie.
    static func bounds(_ options: ServiceOptions, _ limits: SessionLimits) -> [String: (option: String, limit: Int?)] {
        [
            ProblemType.tooManyNewSessions.slug: ("max-new-sessions", options.newSessionsPerMinute),
            ProblemType.tooManyStreams.slug: ("max-streams", options.streamsPerToken),
            ProblemType.tooManySessions.slug: ("max-sessions", limits.sessions),
            ProblemType.memoryFull.slug: ("max-memory", limits.memoryBytes),
            ProblemType.tooManyActions.slug: ("max-actions", limits.actionsPerSecond),
            ProblemType.lineFull.slug: ("max-waiting-actions", limits.waitingActions),
            ProblemType.tooManyKeys.slug: ("max-keys", limits.keysPerSession),
            ProblemType.tooManyKeyBytes.slug: ("max-key-bytes", limits.keyBytesPerSession),
            ProblemType.busy.slug: ("action-threads", limits.actionThreads),
        ]
    }
}

extension Route {
    /// The same route, which refuses a query: an ignored query is probably a client's error.
    var takingNoQuery: Route {
        Route(method, template) { [handler] request in
            try request.query().check(known: [])
            return try handler(request)
        }
    }
}

extension Query {
    /// Refuses a query with a name that nobody knows: a misspelt `sinse` is not left unheard.
    ///
    /// - Throws: ``Problem``, 400, which names what is known, never what was sent.
    func check(known: [String]) throws {
        let unknown = names.first { name in !known.contains { $0.utf8.elementsEqual(name.utf8) } }
        guard let unknown else { return }
        throw ProblemType.malformedQuery.problem(Self.advice(on: unknown, known: known))
    }

    /// The one value of a name; nil where it is not there.
    ///
    /// - Throws: ``Problem``, 400, where there is more than one.
    func single(_ name: String) throws -> String? {
        guard values(of: name).count < 2 else { throw ProblemType.malformedQuery.problem("Send \(name) once.") }
        return self[name]
    }

    private static func advice(on unknown: String, known: [String]) -> String {
        guard !known.isEmpty else { return "This path takes no query; leave out the question mark and what follows." }
        let others = known.count > 1 ? "\(known.dropLast().joined(separator: ", ")) and " : ""
        let list = "This path takes \(others)\(known.last ?? "")."
        return Nearest.name(to: unknown, among: known).map { "Did you mean \($0)? \(list)" } ?? list
    }
}

/// The names under which a server may be asked.
///
/// A page of another site can make its own name lead to this machine (DNS rebinding), and a browser takes the answers for
/// that site's own. Its requests still say the name in `Host`. An IP address is no name and cannot be rebound: it is
/// always allowed.
public struct AllowedHosts: Sendable, Hashable {
    private struct Pattern: Hashable {
        /// In lower case; of a wildcard what follows its asterisk, with the dot.
        let name: [UInt8]
        let isWildcard: Bool
    }

    /// Nil for any name.
    private let patterns: [Pattern]?

    /// Any name.
    public static let any = AllowedHosts(patterns: nil)

    /// The names that browsers themselves lead to this machine: `localhost` and all that end in `.localhost`.
    public static let loopback = AllowedHosts(patterns: [
        Pattern(name: Array("localhost".utf8), isWildcard: false),
        Pattern(name: Array(".localhost".utf8), isWildcard: true),
    ])

    private init(patterns: [Pattern]?) { self.patterns = patterns }

    /// Allows these names: `example.org`; `*.example.org` for all that end so; `*` for any.
    ///
    /// - Returns: nil where one of them is no such name, as with a scheme or a port.
    public init?(_ names: [some StringProtocol]) {
        if names.contains("*") {
            self = .any
            return
        }
        let patterns = names.map { Self.pattern(String($0)) }
        guard !patterns.contains(nil) else { return nil }
        self.init(patterns: patterns.compactMap(\.self))
    }

    private static func pattern(_ text: String) -> Pattern? {
        let isWildcard = text.hasPrefix("*.")
        let name = Array((isWildcard ? String(text.dropFirst()) : text).lowercased().utf8)
        guard name.count > (isWildcard ? 1 : 0), name.allSatisfy(isNameByte) else { return nil }
        return Pattern(name: name, isWildcard: isWildcard)
    }

    /// Of a name in the ASCII form of RFC 3490, and of an IPv4 address.
    private static func isNameByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"),
            UInt8(ascii: "."), UInt8(ascii: "_"):
            true
        default: false
        }
    }

    /// Whether any name is allowed.
    public var isAny: Bool { patterns == nil }

    /// Whether a server may be asked under the name of a `Host` field; its port does not matter.
    ///
    /// Looks at bytes, as this is asked of every request.
    func allow(_ host: UnsafeRawBufferPointer) -> Bool {
        guard let patterns else { return true }
        guard let name = Self.name(in: host) else { return false }
        if IPAddress(UnsafeRawBufferPointer(rebasing: name)) != nil { return true }
        return patterns.contains { pattern in
            let rest = pattern.isWildcard ? name.suffix(pattern.name.count) : name
            return rest.count == pattern.name.count && (!pattern.isWildcard || rest.count < name.count)
                && rest.elementsEqual(pattern.name) { $0.lowercased == $1 }
        }
    }

    /// The host without its port, without the brackets of IPv6 and without the dot that may end a name; nil where it is
    /// malformed.
    private static func name(in host: UnsafeRawBufferPointer) -> Slice<UnsafeRawBufferPointer>? {
        var name = host[...]
        if host.first == UInt8(ascii: "[") {
            guard let end = host.firstIndex(of: UInt8(ascii: "]")), isPort(host[(end + 1)...]) else { return nil }
            name = host[1..<end]
            // What stands in brackets is an IPv6 address, and that alone.
            return name.contains(UInt8(ascii: ":")) ? name : nil
        }
        if let colon = host.firstIndex(of: UInt8(ascii: ":")) {
            guard isPort(host[colon...]) else { return nil }
            name = host[..<colon]
        }
        if name.last == UInt8(ascii: ".") { name.removeLast() }
        return name.isEmpty ? nil : name
    }

    private static func isPort(_ rest: Slice<UnsafeRawBufferPointer>) -> Bool {
        rest.isEmpty
            || rest.first == UInt8(ascii: ":")
                && rest.dropFirst().allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
    }
}
