import Foundation
import HTTP
import Testing

@testable import BinderyKit
@testable import Service
@testable import bindery

@Suite("The options of bindery serve")
struct ProgramOptionsTests {
    private func options(_ arguments: String..., environment: [String: String] = [:]) throws -> ProgramOptions {
        try ProgramOptions(of: Bindery.self, arguments: arguments, environment: environment)
    }

    private func complaint(_ arguments: [String], _ environment: [String: String] = [:]) -> String? {
        do {
            _ = try ProgramOptions(of: Bindery.self, arguments: arguments, environment: environment)
            return nil
        } catch {
            return (error as? UsageError)?.message
        }
    }

    @Test("without any: loopback, port 8080, a file, a public session for all")
    func defaults() throws {
        let options = try options()
        #expect(options.server.host == "127.0.0.1")
        #expect(options.server.port == 8080)
        #expect(options.store == .sqlite(path: "bindery.db"))
        #expect(options.server.service.hasPublicSession)
        #expect(!options.server.service.hasSecureCookies)
        #expect(options.server.sessions.timeToLive == .seconds(86_400))
        #expect(options.server.sessions.sessions == 100_000)
        #expect(options.server.sessions.memoryBytes == nil)
        #expect(options.server.sessions.actionsPerSecond == nil)
        #expect(options.server.service.newSessionsPerMinute == 60)
        #expect(options.server.service.streamsPerToken == 1024)
        #expect(options.server.service.allowedOrigins == [])
        #expect(options.server.trustedProxies == .none)
        #expect(options.server.drainDelay == .zero)
        #expect(options.log == nil)
    }

    @Test("each does what it says")
    func each() throws {
        #expect(try options("--host", "::1").server.host == "::1")
        #expect(try options("--port", "0").server.port == 0)
        #expect(try options("--port", "65535").server.port == 65535)
        #expect(try options("--store", "memory").store == .memory)
        #expect(try options("--threads", "3").server.server.threads == 3)
        #expect(try !options("--public-session", "off").server.service.hasPublicSession)
        #expect(try options("--public-session", "on").server.service.hasPublicSession)
        #expect(try options("--session-ttl", "5").server.sessions.timeToLive == .seconds(5))
        #expect(try options("--max-sessions", "7").server.sessions.sessions == 7)
        #expect(try options("--max-memory", "134217728").server.sessions.memoryBytes == 128 << 20)
        #expect(try options("--max-actions", "9").server.sessions.actionsPerSecond == 9)
        #expect(try options("--secure-cookies").server.service.hasSecureCookies)
        #expect(try options("--max-new-sessions", "3").server.service.newSessionsPerMinute == 3)
        #expect(try options("--max-streams", "4").server.service.streamsPerToken == 4)
        #expect(try options("--max-connections", "6").server.server.connections == 6)
        #expect(try options("--max-connections-per-address", "5").server.server.connectionsPerAddress == 5)
        #expect(try options("--max-head", "4096").server.server.headerBytes == 4096)
        #expect(try options("--max-body", "1000").server.server.bodyBytes == 1000)
        #expect(try options("--drain-delay", "5").server.drainDelay == .seconds(5))
        #expect(try options("--log", "json").log == .json)
        #expect(try options("--log", "text").log == .text)
    }

    @Test(
        "an IPv6 address may stand in brackets, as in a URL; what is none is left as it is",
        arguments: [
            ("[::1]", "::1"), ("[::]", "::"), ("[2001:db8::7]", "2001:db8::7"), ("[127.0.0.1]", "[127.0.0.1]"),
            ("[::1", "[::1"), ("::1]", "::1]"), ("[a:b]", "[a:b]"), ("[]", "[]"), ("[", "["),
        ])
    func brackets(text: String, host: String) throws {
        #expect(try options("--host", text).server.host == host)
        #expect(try options(environment: ["BINDERY_HOST": text]).server.host == host)
    }

    @Test("--name=value is --name value, and the last of two wins")
    func spellings() throws {
        #expect(try options("--port=81").server.port == 81)
        #expect(try options("--port=81", "--port", "82").server.port == 82)
        #expect(try options("--host=a=b").server.host == "a=b")
    }

    @Test("a list is given with commas or piece by piece; the command line's takes the place of the environment's")
    func lists() throws {
        let both = Set(["https://a.test", "http://b.test:8080"].compactMap { WebOrigin($0) })
        #expect(
            try options("--allow-origin", "https://a.test, http://b.test:8080").server.service.allowedOrigins == both)
        let pieces = try options("--allow-origin", "https://a.test", "--port=1", "--allow-origin=http://b.test:8080")
        #expect(pieces.server.service.allowedOrigins == both)
        let environment = [
            "BINDERY_ALLOW_ORIGIN": "https://a.test,http://b.test:8080", "BINDERY_TRUSTED_PROXY": "10.0.0.0/8,::1",
            "BINDERY_ALLOWED_HOSTS": "example.org",
        ]
        let said = try options("--allowed-hosts", "*.example.org", environment: environment)
        #expect(said.server.service.allowedOrigins == both)
        #expect(said.server.trustedProxies == TrustedProxies(["10.0.0.0/8", "::1"].compactMap { IPNetwork($0) }))
        #expect(said.server.service.allowedHosts == AllowedHosts(["*.example.org"]))
    }

    @Test("the environment says the same")
    func environment() throws {
        let options = try options(
            environment: [
                "BINDERY_HOST": "0.0.0.0", "BINDERY_PORT": "90", "BINDERY_STORE": "memory", "BINDERY_THREADS": "2",
                "BINDERY_PUBLIC_SESSION": "off", "BINDERY_SESSION_TTL": "60", "BINDERY_MAX_SESSIONS": "10",
                "BINDERY_MAX_ACTIONS": "4", "BINDERY_SECURE_COOKIES": "on", "BINDERY_LOG": "json",
                "BINDERY_UNKNOWN": "x", "PORT": "1",
            ])
        #expect(options.server.host == "0.0.0.0")
        #expect(options.server.port == 90)
        #expect(options.server.server.threads == 2)
        #expect(!options.server.service.hasPublicSession)
        #expect(options.server.sessions.timeToLive == .seconds(60))
        #expect(options.server.sessions.sessions == 10)
        #expect(options.server.sessions.actionsPerSecond == 4)
        #expect(options.server.service.hasSecureCookies)
        #expect(options.log == .json)
    }

    @Test("the command line wins over the environment, and an empty variable says nothing")
    func precedence() throws {
        let environment = ["BINDERY_PORT": "90", "BINDERY_HOST": "", "BINDERY_SECURE_COOKIES": "off"]
        let options = try options("--port", "91", "--secure-cookies", environment: environment)
        #expect(options.server.port == 91)
        #expect(options.server.host == "127.0.0.1")
        #expect(options.server.service.hasSecureCookies)
    }

    @Test("--secure-cookies is on by its name alone, and on or off as it says, also against the environment")
    func secureCookies() throws {
        #expect(try options("--secure-cookies=on").server.service.hasSecureCookies)
        #expect(try !options("--secure-cookies=off").server.service.hasSecureCookies)
        #expect(try options("--secure-cookies", "--port", "81").server.port == 81)
        let on = ["BINDERY_SECURE_COOKIES": "on"]
        let off = ["BINDERY_SECURE_COOKIES": "off"]
        #expect(try !options(environment: off).server.service.hasSecureCookies)
        #expect(try options(environment: on).server.service.hasSecureCookies)
        #expect(try !options("--secure-cookies=off", environment: on).server.service.hasSecureCookies)
    }

    @Test("the largest head that may be asked for is the one that the server takes")
    func largestHead() throws {
        let limits = try options("--max-head", "32768").server.server
        #expect(Server(routes: [], limits: limits).limits.headerBytes == 32_768)
        let more = try #require(complaint(["--max-head", "1000000"]))
        #expect(more.contains("to 32768"))
    }

    static let badValues = [
        (["--port", "x"], "--port takes a number from 0 to 65535, not x"),
        (["--port", "65536"], "--port takes a number from 0 to 65535, not 65536"),
        (["--port", "-1"], "--port takes a number from 0 to 65535, not -1"),
        (["--port", "8.0"], "--port takes a number from 0 to 65535, not 8.0"),
        (["--port", ""], "--port takes a number from 0 to 65535, not nothing"),
        (["--port="], "--port takes a number from 0 to 65535, not nothing"),
        (["--port", "+80"], "--port takes a number from 0 to 65535, not +80"),
        (["--host", ""], "--host takes an address, not nothing"),
        (["--threads", "0"], "--threads takes a number from 1 to 256, not 0"),
        (["--session-ttl", "0"], "--session-ttl takes a number from 1 to 2147483647, not 0"),
        (
            ["--session-ttl", "99999999999999999999"],
            "--session-ttl takes a number from 1 to 2147483647, not 99999999999999999999"
        ),
        (
            ["--max-memory", "134217728", "--store", "memory"],
            "--max-memory has sessions leave memory for the store, and --store memory is in it: name a file with --store sqlite:PATH"
        ),
        (["--max-memory", "128M"], "--max-memory takes a number from 67108864 to 1125899906842624, not 128M"),
        (["--max-sessions", "0"], "--max-sessions takes a number from 1 to 100000000, not 0"),
        (["--max-actions", "none"], "--max-actions takes a number from 1 to 1000000, not none"),
        (
            ["--store-schema", "postgres://u:se@cr/et@h/d"],
            "--store-schema takes a name of lower-case letters, digits and underscores, not postgres://u:…@h/d"
        ),
        (
            ["--store", "postgers://u:secret@h/d"],
            "--store takes memory, sqlite:PATH or postgres://HOST/DATABASE, not what it was given"
        ),
        (["--store", "disk"], "--store takes memory, sqlite:PATH or postgres://HOST/DATABASE, not disk"),
        (["--max-head", "32769"], "--max-head takes a number from 1024 to 32768, not 32769"),
        (["--secure-cookies=yes"], "--secure-cookies takes on or off, not yes"),
        (["--secure-cookies="], "--secure-cookies takes on or off, not nothing"),
        (["--public-session", "maybe"], "--public-session takes on or off, not maybe"),
        (["--allowed-hosts", ""], "--allowed-hosts takes names like example.org or *.example.org, not nothing"),
        (["--allowed-hosts", "a,"], "--allowed-hosts takes names like example.org or *.example.org, not nothing"),
        (["--allowed-hosts", "a:80"], "--allowed-hosts takes names like example.org or *.example.org, not a:80"),
        (["--allow-origin", "*"], "--allow-origin takes origins like https://app.example.org, not *"),
        (
            ["--allow-origin", "https://a/"],
            "--allow-origin takes origins like https://app.example.org, not https://a/"
        ),
        (
            ["--trusted-proxy", "10.0.0.0/33"],
            "--trusted-proxy takes addresses like 10.0.0.0/8 or ::1, not 10.0.0.0/33"
        ),
        (["--drain-delay", "8"], "--drain-delay takes a number from 0 to 7, not 8"),
        (["--log", "xml"], "--log takes json or text, not xml"),
        (["--log", "a\nb"], "--log takes json or text, not a b"),
    ]

    @Test("a bad value is one clear line", arguments: badValues)
    func complains(arguments: [String], line: String) { #expect(complaint(arguments) == line) }

    @Test("a bad value of the environment names the variable")
    func badVariable() {
        #expect(complaint([], ["BINDERY_PORT": "x"]) == "BINDERY_PORT takes a number from 0 to 65535, not x")
    }

    static let badWords = [
        (["--colour"], "--colour is not an option of serve; see bindery --help"),
        (["--colour=red"], "--colour=red is not an option of serve; see bindery --help"),
        (["--port", "1", "--colour", "red"], "--colour is not an option of serve; see bindery --help"),
        (["--max-st", "5"], "--max-st is not an option of serve; see bindery --help"),
        (["--secure=on"], "--secure=on is not an option of serve; see bindery --help"),
        (["-p"], "-p is not an option of serve; see bindery --help"),
        (["-xyz", "1"], "-xyz is not an option of serve; see bindery --help"),
        (["--port", "1", "-xyz"], "-xyz is not an option of serve; see bindery --help"),
        (["--port"], "--port needs a value"),
        (["--log", "json", "--host"], "--host needs a value"),
        (["stray"], "stray is not expected here; options begin with --"),
        (["--port", "1", "stray"], "stray is not expected here; options begin with --"),
        (["stray", "--port", "1"], "stray is not expected here; options begin with --"),
        (["--secure-cookies", "on"], "on is not expected here; options begin with --"),
        (["--", "stray"], "stray is not expected here; options begin with --"),
        (["--", "--port", "1"], "--port is not expected here; options begin with --"),
        (["-"], "- is not expected here; options begin with --"),
        ([""], "an empty word is not expected here; options begin with --"),
    ]

    @Test("a word that does not belong there is one clear line", arguments: badWords)
    func complainsOfWords(arguments: [String], line: String) { #expect(complaint(arguments) == line) }

    @Test("the second time is like the first, also after a complaint")
    func twice() throws {
        for _ in 0..<3 {
            #expect(try options("--port", "81", "--log", "json").server.port == 81)
            #expect(complaint(["-xyz"]) == "-xyz is not an option of serve; see bindery --help")
            #expect(complaint(["stray", "--port", "1"]) == "stray is not expected here; options begin with --")
        }
        #expect(try options().server.port == 8080)
    }

    @Test(
        "whoever serves others without saying under which names is told so at the start",
        arguments: [
            ("127.0.0.1", nil, false), ("localhost", nil, false), ("::1", nil, false), ("0.0.0.0", nil, true),
            ("::", nil, true), ("192.0.2.7", nil, true), ("0.0.0.0", "example.org", false), ("0.0.0.0", "*", false),
        ])
    func remark(host: String, names: String?, isTold: Bool) throws {
        let environment = names.map { ["BINDERY_ALLOWED_HOSTS": $0] } ?? [:]
        let options = try options("--host", host, environment: environment)
        let started = StartedServer(host: host, port: 80, limits: .init(), fileDescriptorLimit: 1024)
        #expect(Serve.greeting(started, options).contains("--allowed-hosts") == isTold)
    }

    @Test("each is in the help, with its variable's name derived from its own, and what holds for the program")
    func help() throws {
        let help = try HelpText(of: Bindery.self).text
        for option in ProgramOption.all + Command.all(of: Bindery.self).flatMap(\.options) {
            #expect(help.contains("  --\(option.name)"))
        }
        #expect(ProgramOption.all.map(\.variable).contains("BINDERY_SESSION_TTL"))
        #expect(help.split(separator: "\n").allSatisfy { $0.count <= 100 })
        #expect(help.contains(" or memory (sqlite:bindery.db)\n"))
    }

    @Test("and each command are in the README's tables, which `bindery help --markdown` prints, to the letter")
    func readme() throws {
        let root = URL(filePath: #filePath).appending(path: "../../../../..").standardized
        let readme = try String(contentsOf: root.appending(path: "README.md"), encoding: .utf8)
        let tables = try HelpText(of: Bindery.self).markdown.components(separatedBy: "\n\n")
        #expect(tables.count == 2)
        for table in tables { #expect(readme.contains("\n\n\(table)\n\n"), "\(table)") }
    }

    @Test("no two options of a command have one name")
    func unique() {
        for command in Command.all(of: Bindery.self) {
            let names = (ProgramOption.all + command.options).map(\.name)
            #expect(Set(names).count == names.count, "\(command.name)")
        }
    }
}
