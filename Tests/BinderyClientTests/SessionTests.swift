import Foundation
import Testing

@testable import BinderyClient

/// Protects the requests that begin, change and end a session.
@Suite("A session", .timeLimit(.minutes(1)))
struct SessionTests {
    @Test("is begun, speaks another language and is ended, under its token and its name, behind the URL's path")
    func life() async throws {
        let server = try StandInServer()
        let client = BinderyClient(server.url.appending(path: "at/"))
        let living = Task {
            let session = try await client.session()
            try await session.changeLanguage(to: "en")
            try await session.end()
            return session
        }
        let begin = try await server.next()
        #expect(begin.line == "POST /at/sessions HTTP/1.1" && begin["Authorization"] == nil)
        begin.answer("201 Created", "application/json", #"{"id":"i","token":"t","expiresIn":900,"cursor":"0.n"}"#)
        let change = try await server.next()
        #expect(change.line == "PATCH /at/session HTTP/1.1" && change.body == #"{"language":"en"}"#)
        #expect(change["Content-Type"] == "application/json")
        #expect(change["Authorization"] == "Bearer t" && change["Bindery-Session"] == "i")
        change.answer("200 OK", "application/json", "{}")
        let end = try await server.next()
        #expect(end.line == "DELETE /at/session HTTP/1.1")
        end.answer("204 No Content", "text/plain")
        #expect(try await living.outcome.token == "t")
    }
}
