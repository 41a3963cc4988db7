import Events

extension Event.Kind {
    /// The database is reached, and its tables are there.
    static let storeConnected = Event.Kind(
        "store-connected", .info, ["path", "host", "schema", "tables", "server", "standbys"])
    /// What is answered may be lost with the server.
    static let storeAtRisk = Event.Kind("store-at-risk", .warning, ["path", "reason"])
    /// The server has started anew, or is another: cursors of what it may have lost are known by that.
    static let storeChanged = Event.Kind("store-changed", .warning, ["path", "host", "timeline", "standbys"])

    /// The time of day of this machine is not the server's, which counts: so many seconds ahead of it, or behind it below zero.
    static let storeClockOff = Event.Kind("store-clock-off", .warning, ["path", "seconds"])

    /// The kinds of this module.
    package static let ofPostgres = [storeConnected, storeAtRisk, storeChanged, storeClockOff]
}

extension Database {
    /// Tells the log which database it is, and what is at stake where it goes.
    func tellConnected(_ connection: Connection) throws(PostgresFailure) {
        let server = try serverSettings(connection)
        settings.log?.record(
            Event(
                .storeConnected,
                [
                    "path": .text(target.description), "host": .text(connection.host),
                    "schema": .text(settings.schema.rawValue), "tables": .number(server.tables),
                    "server": .text(server.version), "standbys": .text(server.standbys),
                ]))
        tell(server.risks)
    }

    /// Tells that the server is another than it was, and what is at stake at this one.
    func tellChanged(_ connection: Connection, _ standing: Standing) throws(PostgresFailure) {
        let server = try serverSettings(connection)
        settings.log?.record(
            Event(
                .storeChanged,
                [
                    "path": .text(target.description), "host": .text(connection.host),
                    "timeline": .text(standing.timeline), "standbys": .text(server.standbys),
                ]))
        tell(server.risks)
    }

    /// Asks what is now and then asked: the time, and what is at stake, which whoever looks after the server may have changed.
    func look(_ connection: Connection) throws(PostgresFailure) {
        try clock.read(connection)
        tell(try serverSettings(connection).risks)
    }

    private func serverSettings(_ connection: Connection) throws(PostgresFailure) -> ServerSettings {
        ServerSettings(try connection.run(statements.server, [], within: settings.statementTimeout))
    }

    /// Each is told when it comes up.
    private func tell(_ risks: [String]) {
        let known = self.risks.withLock { known in
            defer { known = risks }
            return known
        }
        for reason in risks where !known.contains(reason) {
            settings.log?.record(Event(.storeAtRisk, ["path": .text(target.description), "reason": .text(reason)]))
        }
    }
}
