import Service

/// `bindery health`: what a container asks, without a tool of its own inside.
enum Health {
    /// Asks the server at the options' address, or where operators ask, if that is told: a full server answers there.
    ///
    /// - Parameters:
    ///   - path: `/livez`, or `/readyz`.
    ///   - patience: how many seconds each step may take.
    /// - Throws: ``CommandFailure`` where it is not answered with 200.
    static func check(
        _ options: ServeOptions, path: String = "/livez", patience: Double = 3
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
