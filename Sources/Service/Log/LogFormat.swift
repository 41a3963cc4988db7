/// How log lines are written.
public enum LogFormat: String, Sendable, CaseIterable {
    /// One JSON object a line, for machines.
    case json
    /// Columns, for a terminal.
    case text
}
