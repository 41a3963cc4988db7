import Foundation
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
            exec 3< <(exec '\(try Self.path(of: program))' serve --port 0 --store memory --log json 2>&1)
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
        return printed.split(separator: "\n").map { Self.masked(String($0)) }
    }

    /// Beside the tests themselves, because SwiftPM builds it for them.
    static func path(of program: String) throws -> String {
        try #require(Bundle.main.executableURL).deletingLastPathComponent().appending(path: program).path
    }

    /// Without what differs from run to run: epochs, request ids.
    private static func masked(_ line: String) -> String {
        line.replacing(/\b[A-Za-z0-9_-]{6}\.(\d+)\b/) { "EPOCH.\($0.1)" }
            .replacing(/"instance":"[^"]*"/, with: #""instance":"ID""#)
    }
}

/// - Returns: what a script prints; it has to end well.
func bash(_ script: String) async throws -> String {
    let process = Process()
    let output = Pipe()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = ["bash", "-e", "-c", script]
    process.standardOutput = output
    let ended = AsyncStream<Void> { continuation in process.terminationHandler = { _ in continuation.finish() } }
    try process.run()
    for await _ in ended {}
    #expect(process.terminationStatus == 0)
    return String(decoding: try output.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
}
