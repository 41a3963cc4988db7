import Testing

@testable import BinderyKit
@testable import bindery

@Suite("bindery sessions")
struct SessionsCommandTests {
    private func options(
        _ command: Command, _ arguments: [String], _ environment: [String: String] = [:]
    ) throws -> ProgramOptions {
        try ProgramOptions(of: Bindery.self, command, arguments: arguments, environment: environment)
    }

    @Test(
        "needs to know what to do, to which session, and where to ask",
        arguments: [
            [], ["list"], ["show", "--admin", "127.0.0.1:1"], ["list", "--admin", "127.0.0.1:1", "more"],
            ["list", "--admin", "nowhere"], ["end", "--admin", "127.0.0.1:1"], ["end", "ID", "--admin", "127.0.0.1:1"],
            ["end", "AAAAAAAAAAAAAAA"], ["end", "AAAAAAAAAAAAAA/", "--admin", "127.0.0.1:1"],
            ["end", "--unused-for", "--admin", "127.0.0.1:1"], ["end", "--unused-for=0", "--admin", "127.0.0.1:1"],
            ["end", "--admin", "127.0.0.1:1", "--unused-for"], ["end", "--unused-for", "1h", "--admin", "127.0.0.1:1"],
            ["end", "AAAAAAAAAAAAAAA", "--unused-for", "1", "--admin", "127.0.0.1:1"],
        ])
    func usage(arguments: [String]) async {
        await #expect(throws: UsageError.self) { try await Bindery.run(["sessions"] + arguments, [:]) }
    }

    @Test("is told where to ask by an option or by the environment, and takes an id that begins with hyphens")
    func place() throws {
        let list = try options(.listSessions, ["--json", "--admin", "127.0.0.1:1"])
        #expect(list.own.isJSON)
        let one = try options(.endSessions, ["--AAAAAAAAAAAAA"], ["BINDERY_ADMIN": "127.0.0.1:1"])
        #expect(one.operand == "--AAAAAAAAAAAAA")
        let unused = try options(.endSessions, ["--unused-for", "60", "--admin=127.0.0.1:1"])
        #expect(unused.own.unusedFor == 60)
        for options in [list, one, unused] { _ = try SessionsCommand(options) }
    }

    @Test("says of an end that takes longer than it waits that it was asked, and is not done yet")
    func late() throws {
        try withSilentPort(isListening: true) { port in
            let place = "127.0.0.1:\(port)"
            let command = try SessionsCommand(options(.endSessions, ["AAAAAAAAAAAAAAA", "--admin", place]))
            let failure = #expect(throws: CommandFailure.self) { try command.end(patience: 0.05) }
            #expect(
                failure?.description
                    == "\(place) was asked; not done yet: sessions-ended in the log says when it is")
        }
    }

    @Test("says times in the largest unit of which there are two")
    func spans() {
        let spans = [0, 119, 120, 7199, 7200, 172_799, 172_800].map { SessionColumns.span($0) }
        #expect(spans == ["0s", "119s", "2m", "119m", "2h", "47h", "2d"])
        #expect(SessionColumns.span(nil) == "-")
    }

    @Test("lists a session in columns")
    func columns() {
        let line = SessionColumns.line(
            of: [
                "id": "Hs08v_CRARCqwFo", "inMemory": false, "age": 7200, "expiresIn": 60, "bytes": 44, "waits": 0,
                "streams": 0, "log": "e0aaead46809596f", "public": false,
            ])
        #expect(line == "Hs08v_CRARCqwFo  store   2h    -       60s      44       0      0        e0aaead46809596f")
        #expect(SessionColumns.head.count == line.count - 6)
    }
}
