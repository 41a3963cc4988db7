import Binding
import ViewModels

/// The Variables of a view model, set to what the server shows.
///
/// Changes and answers to actions arrive on connections of their own, so in any order. The larger seq counts.
actor RemoteOutputs {
    typealias Declared = [(name: String, variable: @Sendable (JSONValue) throws -> any OutputVariable)]

    nonisolated let connection = Variable(RemoteConnection.live)
    nonisolated let variables: [String: any OutputVariable]
    private var shown: [String: (seq: UInt64, value: JSONValue)] = [:]
    /// The seq of the newest answer since the last snapshot.
    private var latestAnswer: UInt64 = 0

    /// Begins with the answer of a GET.
    ///
    /// - Parameter mayMiss: whether outputs may be missing, which the caller may not see.
    /// - Throws: ``RemoteFailure`` where the server shows other outputs.
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

    /// The cursor to open a stream with: none after a newer answer, since a server that lost the answer must say so.
    func opening(_ cursor: RemoteCursor?) -> RemoteCursor? { latestAnswer > cursor?.seq ?? 0 ? nil : cursor }

    /// Takes changes of the view model.
    ///
    /// - Throws: ``RemoteFailure`` where an output has another type.
    func take(_ update: RemoteUpdate) throws {
        if update.isSnapshot {
            latestAnswer = 0
            shown = shown.mapValues { (0, $0.value) }
        }
        try take(values(of: update.changes))
    }

    /// The newest whole value of each output that changed.
    ///
    /// - Throws: ``RemoteFailure`` for rows of a list that is not the client's.
    private func values(of changes: [RemoteChange]) throws -> [(name: String, seq: UInt64, value: JSONValue)] {
        var values: [String: (seq: UInt64, value: JSONValue)] = [:]
        // The rows of one output and seq stand together.
        var rest = changes[...]
        while let first = rest.first {
            let group = Array(rest.prefix { $0.output == first.output && $0.seq == first.seq })
            rest = rest.dropFirst(group.count)
            guard first.row != nil else {
                values[first.output] = (first.seq, first.value)
                continue
            }
            guard let known = values[first.output] ?? shown[first.output], known.seq < first.seq else { continue }
            guard case .array(let list) = known.value, let list = group.rows(of: list) else {
                throw RemoteFailure(.notUnderstood, "The rows of \(first.output) do not fit the list.")
            }
            values[first.output] = (first.seq, .array(list))
        }
        return values.map { ($0.key, $0.value.seq, $0.value.value) }
    }

    /// Takes the answer to an action; else as ``take(_:)-RemoteUpdate``.
    func take(_ answer: RemoteAnswer) throws {
        let (seq, outputs) = (try answer.cursor.seq ?? 0, try answer.decode([String: JSONValue].self))
        latestAnswer = max(latestAnswer, seq)
        try take(outputs.map { ($0.key, seq, $0.value) })
    }

    /// Sets the newer values: all of them, or none where a value has another type.
    private func take(_ values: [(name: String, seq: UInt64, value: JSONValue)]) throws {
        var sets: [@Sendable () -> Void] = []
        for (name, seq, value) in values {
            guard let variable = variables[name], let old = shown[name], seq >= old.seq else { continue }
            shown[name] = (seq, value)
            // By their bytes: Swift calls some texts equal that differ.
            if old.value.text == value.text { continue }
            do { sets.append(try variable.reading(value)) } catch { throw Self.otherBuild(name, error) }
        }
        for set in sets { set() }
    }

    private static func otherBuild(_ name: String, _ cause: (any Error)? = nil) -> RemoteFailure {
        RemoteFailure(
            .notUnderstood, "The output \(name) is missing or has another type: the server has another build.",
            cause: cause)
    }
}
