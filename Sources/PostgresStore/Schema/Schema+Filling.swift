import Sessions

// Tables that are copied have to be there, and those that are copied into have a part alone until the copy has ended.

extension Schema {
    /// The SQLSTATEs by which this says that there are no tables, and that they have a part of a copy; of the class that is left
    /// to applications.
    static let missingState = "BY004"
    static let unfinishedState = "BY005"

    /// - Throws: where there are no tables.
    func requireTables(_ connection: Connection) throws(PostgresFailure) {
        let tables = PreparedStatement("tables", "SELECT to_regclass('\(name.quoted).store') IS NOT NULL")
        let answer = try connection.run(tables, [], within: Self.time)
        guard answer.bool(0, 0) else {
            throw PostgresFailure(
                .refused, state: Self.missingState,
                message: "there are no tables of a Bindery in schema \(name.rawValue)")
        }
    }

    /// Refuses tables that have a part alone, or empties them for whoever is to fill them anew; they go on to say so.
    ///
    /// To be asked by a connection that marks them as open, by which nobody else begins to fill them.
    func settle(_ connection: Connection, for purpose: StorePurpose) throws(PostgresFailure) {
        let filling = PreparedStatement("filling", "SELECT filling_from FROM store WHERE filling_from IS NOT NULL")
        let answer = try connection.run(filling, [], within: Self.time)
        guard answer.count > 0 else { return }
        guard purpose == .target else { throw unfinished(answer.text(0, 0)) }
        let clearing = PreparedStatement("clearing", "TRUNCATE sessions, view_models, keys")
        _ = try connection.run(clearing, [], within: Self.time)
    }

    /// Why tables are refused that have a part of `source` alone.
    func unfinished(_ source: String) -> PostgresFailure {
        PostgresFailure(
            .refused, state: Self.unfinishedState,
            message: "schema \(name.rawValue) has a part of \(source) alone: a copy was broken off. Copy again, which "
                + "begins anew, or DROP SCHEMA \(name.rawValue) CASCADE")
    }

    /// Why tables are refused that are a newer Bindery's.
    func newer(_ version: Int) -> PostgresFailure {
        PostgresFailure(
            .refused, state: Self.newerState,
            message:
                "the tables in schema \(name.rawValue) are of version \(version), of a newer Bindery; this one knows "
                + "version \(Self.steps.count): take the newer one, or name another schema")
    }

    private static let time = Duration.seconds(4)
}
