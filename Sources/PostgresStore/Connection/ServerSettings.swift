/// How a server is set up, as far as it matters to what is stored there.
struct ServerSettings {
    let version: String
    let standbys: String
    /// The version of the tables.
    let tables: Int
    /// What is at stake: nothing where an answered action is on a standby's disk.
    let risks: [String]

    /// Reads the row of ``Statements/server``.
    init(_ answer: Answer) {
        (version, standbys, tables) = (answer.text(0, 0), answer.text(0, 1), Int(answer.integer(0, 4)))
        let (commit, flush) = (answer.text(0, 2), answer.text(0, 3))
        var risks: [String] = []
        if commit == "off" { risks.append("synchronous_commit is off: a crash of the server loses what was answered") }
        if flush == "off" { risks.append("fsync is off: a loss of power may leave the database damaged") }
        if standbys.isEmpty {
            risks.append("synchronous_standby_names is empty: with the server goes what no standby has yet")
        } else if commit == "local" {
            risks.append("synchronous_commit is local: with the server goes what no standby has yet")
        } else if commit == "remote_write" {
            risks.append(
                "synchronous_commit is remote_write: with the server goes what its standby has not on disk, if that stops, too"
            )
        }
        self.risks = risks
    }
}
