import Service

extension Command {
    /// What a container asks, without a tool of its own inside.
    static let health = Command(
        name: "health",
        uses: [
            (
                "[--ready] [options]",
                "ask a running server whether it lives, with --ready whether clients may be sent there; exit 0, or 1 and why not"
            )
        ],
        options: [
            ProgramOption("ready", \.own.isReady, isSwitch: true, "whether clients may be sent there", code: "–")
        ]
    ) { try Health.check($0, path: $0.own.isReady ? "/readyz" : "/livez") }
}

/// Whether a server answers.
enum Health {
    /// Asks the server at the options' address, or where operators ask, if that is told: a full server answers there.
    ///
    /// - Parameters:
    ///   - path: `/livez`, or `/readyz`.
    ///   - patience: how many seconds each step may take.
    /// - Throws: ``CommandFailure`` where it is not answered with 200.
    static func check(
        _ options: ProgramOptions, path: String = "/livez", patience: Double = 3
    ) throws(CommandFailure) {
        let server = RunningServer(
            options.server.admin
                ?? BinderyServer.Options.Address(host: options.server.host, port: options.server.port))
        let (status, body) = try server.ask("GET", path, patience: patience)
        guard status == 200 else {
            // Of readiness it says what is in the way.
            let text = path == "/readyz" ? ": \(String(decoding: body.prefix(1000), as: UTF8.self))" : ""
            throw CommandFailure("\(server.place) answers \(path) with \(status), not 200\(text)")
        }
    }
}
