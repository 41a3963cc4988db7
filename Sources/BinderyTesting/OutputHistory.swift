import Entities
import ViewModels

/// All values of an output over time: the first value, and each committed value since.
///
/// ```swift
/// let display = try await server.history(of: \TicketMachine.display, in: session)
/// try await machine.take()
/// try await machine.call()
/// #expect(try display.values() == ["Welcome", "Number 1, please"])
/// ```
public struct OutputHistory<Value: Decodable & Sendable>: Sendable {
    let first: [UInt8]
    /// The index of the view model, and of the output in it.
    let place: (viewModel: Int, output: Int)
    let commits: @Sendable () -> [Commit]

    /// All values so far, with one element for each change.
    ///
    /// - Throws: `DecodingError` if a restart with other view models changed the type.
    public func values() throws -> [Value] {
        let all = [first] + commits().map { $0.state[place.viewModel].part.outputs[place.output] }
        var changes: [[UInt8]] = []
        for json in all where json != changes.last { changes.append(json) }
        return try changes.map { try JSON.decode(Value.self, from: $0) }
    }
}
