import Events

extension Event.Kind {
    /// The database is reached, and its tables are there.
    static let storeConnected = Event.Kind(
        "store-connected", .info, ["path", "host", "schema", "tables", "server", "standbys"])
    /// What is answered may be lost with the server.
    static let storeAtRisk = Event.Kind("store-at-risk", .warning, ["path", "reason"])
    /// The server has started anew, or is another: cursors of what it may have lost are known by that.
    static let storeChanged = Event.Kind("store-changed", .warning, ["path", "host", "timeline"])

    /// The time of day of this machine is not the server's, which counts: so many seconds ahead of it, or behind it below zero.
    static let storeClockOff = Event.Kind("store-clock-off", .warning, ["path", "seconds"])

    /// The kinds of this module.
    package static let ofPostgres = [storeConnected, storeAtRisk, storeChanged, storeClockOff]
}

extension Database {
    /// Tells the log which database it is, and what is at stake where it goes.
    func tellConnected(_ connection: Connection) throws(PostgresFailure) {
        guard let log = settings.log else { return }
        let answer = try connection.run(statements.server, [], within: settings.statementTimeout)
        let (version, standbys, commit, flush) = (
            answer.text(0, 0), answer.text(0, 1), answer.text(0, 2), answer.text(0, 3)
        )
        log.record(
            Event(
                .storeConnected,
                [
                    "path": .text(target.description), "host": .text(connection.host),
                    "schema": .text(settings.schema.rawValue), "tables": .number(Schema.steps.count),
                    "server": .text(version), "standbys": .text(standbys),
                ]))
        var risks: [String] = []
        if commit == "off" { risks.append("synchronous_commit is off: a crash of the server loses what was answered") }
        if flush == "off" { risks.append("fsync is off: a loss of power may leave the database damaged") }
        if standbys.isEmpty {
            risks.append("synchronous_standby_names is empty: with the server goes what no standby has yet")
        } else if commit == "local" {
            risks.append("synchronous_commit is local: with the server goes what no standby has yet")
        }
        for reason in risks {
            log.record(Event(.storeAtRisk, ["path": .text(target.description), "reason": .text(reason)]))
        }
    }
}
