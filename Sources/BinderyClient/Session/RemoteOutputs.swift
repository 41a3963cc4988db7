import Binding
import ViewModels

/// The Variables of a view model, with the values that the server shows.
///
/// Changes and answers to actions arrive on different connections, so in any order. The larger seq wins.
actor RemoteOutputs {
    typealias Declared = [(name: String, variable: @Sendable (JSONValue) throws -> OutputVariable)]

    nonisolated let connection = Variable(RemoteConnection.live)
    nonisolated let variables: [String: OutputVariable]
    private var shown: [String: (seq: UInt64, value: JSONValue)] = [:]
    /// The seq of the newest answer since the last snapshot.
    private var latestAnswer: UInt64 = 0

    /// Begins with the answer of a GET.
    ///
    /// - Parameter mayMiss: whether outputs may be missing, because the caller may not see them.
    /// - Throws: ``RemoteFailure`` if the server shows other outputs.
    init(_ declared: Declared, _ answer: RemoteAnswer, mayMiss: Bool) throws {
        let (seq, outputs) = (try answer.cursor.seq ?? 0, try answer.decode([String: JSONValue].self))
        variables = try Dictionary(
            uniqueKeysWithValues: declared.compactMap { name, variable in
                guard let value = outputs[name] else {
                    if mayMiss { return nil }
                    throw Self.otherBuild(name)
                }
                do { return (name, try variable(value)) } catch { throw Self.otherBuild(name, error) }
            })
        shown = outputs.mapValues { (seq, $0) }
    }

    /// The cursor for a new stream; nil after a newer answer, so that a snapshot shows whether the server has lost it.
    func opening(_ cursor: RemoteCursor?) -> RemoteCursor? { latestAnswer > cursor?.seq ?? 0 ? nil : cursor }

    /// Takes changes of the view model, and sets each output to its newest value.
    ///
    /// - Throws: ``RemoteFailure`` if an output has another type, or if rows do not fit the client's list.
    func take(_ update: RemoteUpdate) throws {
        if update.isSnapshot {
            latestAnswer = 0
            shown = shown.mapValues { (0, $0.value) }
        }
        var values: [String: (seq: UInt64, value: JSONValue)] = [:]
        for change in update.changes {
            // A value may be applied twice, but a row may not.
            guard let old = shown[change.output], change.seq > old.seq || change.row == nil && change.seq == old.seq
            else { continue }
            var value = change.value
            if change.row != nil {
                guard case .array(let list) = (values[change.output] ?? old).value, let list = [change].rows(of: list)
                else { throw RemoteFailure(.notUnderstood, "The rows of \(change.output) do not fit the list.") }
                value = .array(list)
            }
            values[change.output] = (change.seq, value)
        }
        try take(values.map { ($0.key, $0.value.seq, $0.value.value) })
    }

    /// Takes the answer to an action, as ``take(_:)-RemoteUpdate`` takes changes.
    func take(_ answer: RemoteAnswer) throws {
        let (seq, outputs) = (try answer.cursor.seq ?? 0, try answer.decode([String: JSONValue].self))
        latestAnswer = max(latestAnswer, seq)
        try take(outputs.map { ($0.key, seq, $0.value) })
    }

    /// Sets the newer values.
    private func take(_ values: [(name: String, seq: UInt64, value: JSONValue)]) throws {
        for (name, seq, value) in values {
            guard let variable = variables[name], let old = shown[name], seq >= old.seq else { continue }
            shown[name] = (seq, value)
            // Compare bytes: Swift treats some different texts as equal.
            if old.value.text == value.text { continue }
            do { try variable.set(value) } catch { throw Self.otherBuild(name, error) }
        }
    }

    private static func otherBuild(_ name: String, _ cause: (any Error)? = nil) -> RemoteFailure {
        RemoteFailure(
            .notUnderstood, "The output \(name) is missing or has another type: the server has another build.",
            cause: cause)
    }
}
