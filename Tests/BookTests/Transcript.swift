import TestSupport
import Testing

/// What was typed into a shell, and what it printed.
struct Transcript {
    let commands: [String]
    /// Masked, without lines that are empty.
    let answers: [String]

    init(_ lines: [String]) {
        commands = lines.filter { $0.hasPrefix("$ ") }.map { String($0.dropFirst(2)) }
        answers = lines.filter { !$0.hasPrefix("$ ") && !$0.isEmpty }.map(Self.masked)
        #expect(!commands.isEmpty)
    }

    /// Types the commands, all in one shell, while a new server of a program of ours listens.
    ///
    /// - Returns: what they print, masked, without lines that are empty.
    func run(against program: String) async throws -> [String] {
        let printed = try await bash(
            """
            unset "${!BINDERY_@}"
            exec 3< <(exec '\(try Child.path(ofPackage: program))' serve --port 0 --store memory --log json 2>&1)
            server=$!
            trap 'kill $server 2>/dev/null || true' EXIT
            read -r -u 3 line
            [[ $line =~ \\"url\\":\\"([^\\"]*) ]]
            url=${BASH_REMATCH[1]}
            curl() { command curl "${@//http:\\/\\/127.0.0.1:8080/$url}"; }
            \(commands.map { "\($0)\necho" }.joined(separator: "\n"))
            kill $server
            wait $server
            """)
        return printed.map(Self.masked)
    }

    /// Without what differs from run to run: epochs, request ids.
    private static func masked(_ line: String) -> String {
        line.replacing(/\b[A-Za-z0-9_-]{6}\.(\d+)\b/) { "EPOCH.\($0.1)" }
            .replacing(/"instance":"[^"]*"/, with: #""instance":"ID""#)
    }
}

/// - Returns: the lines that a script prints; it has to end well.
func bash(_ script: String) async throws -> [String] {
    try await onThread {
        let child = try Child("/usr/bin/env", ["bash", "-e", "-c", script])
        let lines = child.lines()
        #expect(child.wait() == 0)
        return lines
    }
}
