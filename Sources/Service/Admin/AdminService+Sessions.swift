import Events
import HTTP
import Sessions
import ViewModels

extension AdminService {
    /// Lists sessions, and ends them.
    var sessionRoutes: [Route] {
        [
            admitting(Route(.get, "/sessions") { try list($0, $1) }, known: ["after", "limit"]),
            admitting(Route(.delete, "/sessions") { try endUnused($0, $1) }, known: ["unused-for"]),
            admitting(Route(.delete, "/sessions/{id}") { end($0, $1) }),
        ]
    }

    private func list(_ request: Request, _ responder: Responder) throws {
        let query = try request.query()
        let limit = try query.number("limit", in: 1...Int64(SessionRegistry.longestPage)) ?? 100
        let after = try query.single("after")
        let isID = after?.utf8.count == SessionID.public.publicID.utf8.count
        let place = isID ? nil : try query.number("after", in: 0...Int64.max) ?? 0
        ask(responder) { registry in
            var place = place
            if isID { place = try await registry.place(ofPublicID: after ?? "") }
            guard let place else { throw Self.noSession }
            let (sessions, next) = try await registry.list(after: place, limit: Int(limit))
            let list = sessions.map(Self.json).joined(separator: ",")
            return .json(
                Array(#"{"sessions":[\#(list)],"next":\#(next.map { "\"\($0)\"" } ?? "null")}"#.utf8), headers: [])
        }
    }

    private func end(_ request: Request, _ responder: Responder) {
        let id = request.parameter("id") ?? ""
        ask(responder) { registry in
            guard try await registry.end(publicID: id) else { throw Self.noSession }
            return Response(status: 204, headers: [.noStore])
        }
    }

    private func endUnused(_ request: Request, _ responder: Responder) throws {
        guard let seconds = try request.query().number("unused-for", in: 1...1_000_000_000) else {
            throw ProblemType.malformedQuery.problem(
                "Name one session, as DELETE /sessions/ID, or say for how many seconds those have not been used that are to "
                    + "be ended: unused-for=SECONDS.")
        }
        ask(responder) { registry in
            let (count, isDone) = await registry.endUnused(for: .seconds(seconds))
            guard isDone else {
                throw ProblemType.storeUnavailable.problem(
                    "The store did not answer; \(count) sessions were ended before that. Ask again.",
                    headers: [Header(.retryAfter, "1")])
            }
            return .json(Array(#"{"ended":\#(count)}"#.utf8), headers: [])
        }
    }

    /// Off the event loop, with what goes wrong as a problem.
    private func ask(
        _ responder: Responder, _ body: @escaping @Sendable (SessionRegistry) async throws -> Response
    ) {
        responder.send { [registry = service.registry] () async throws -> Response? in
            do { return try await body(registry) } catch RegistryFailure.isPublic {
                throw ProblemType.publicSession.problem("It is shared by all who bring no token, and never ended.")
            } catch { throw Problem.of(error) }
        }
    }

    private static let noSession = ProblemType.notFound.problem(
        "There is no session of this id: it has ended, or there never was one. GET /sessions lists those that there are."
    )

    /// None of its texts has a character that JSON would escape.
    private static func json(_ session: ListedSession) -> String {
        func text(_ number: Int?) -> String { number.map(String.init) ?? "null" }
        let members: [(name: String, json: String)] = [
            ("id", "\"\(session.id.publicID)\""), ("public", "\(session.id == .public)"),
            ("log", "\"\(SessionTag(of: session.id))\""), ("inMemory", "\(session.isInMemory)"),
            ("age", text(session.age)), ("unusedFor", text(session.idleTime)), ("expiresIn", text(session.timeLeft)),
            ("bytes", "\(session.bytes)"), ("waits", "\(session.waits)"), ("streams", "\(session.streams)"),
        ]
        return "{\(members.map { "\"\($0.name)\":\($0.json)" }.joined(separator: ","))}"
    }
}

extension Query {
    /// The one value of a name as a whole number, in digits; nil where it is not there.
    ///
    /// - Throws: ``Problem``, 400, where it is none of the range.
    fileprivate func number(_ name: String, in range: ClosedRange<Int64>) throws -> Int64? {
        guard let text = try single(name) else { return nil }
        guard text.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let number = Int64(text), range.contains(number)
        else {
            throw ProblemType.malformedQuery.problem(
                "\(name) is a whole number from \(range.lowerBound) to \(range.upperBound).")
        }
        return number
    }
}
