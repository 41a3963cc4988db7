import BinderyClient
import Foundation
import Sessions
import StandIns
import ViewModels

/// What an output has shown over time: the value that it began with, and each that was committed since.
///
/// A value for the test's own assertion, so that what fails is reported where the test says it, by whichever library:
///
/// ```swift
/// let display = try await server.history(of: \.display, in: machine)
/// try await machine.act("take")
/// try await machine.act("call")
/// #expect(try display.values() == ["Welcome", "Number 1, please"])
/// ```
public struct OutputHistory<Value: Decodable & Sendable>: Sendable {
    private let first: (value: Value, json: RawJSON)
    private let begun: UInt64
    private let viewModel: String
    private let output: String
    private let commits: @Sendable () -> [Commit]

    init(
        first: (value: Value, json: RawJSON), at cursor: RemoteCursor, output: (viewModel: String, name: String),
        commits: @escaping @Sendable () -> [Commit]
    ) {
        self.first = first
        begun = cursor.seq ?? 0
        (viewModel, self.output) = (output.viewModel, output.name)
        self.commits = commits
    }

    /// All values so far, each change once.
    ///
    /// - Throws: `DecodingError` where a build that the server was restarted with shows another type.
    public func values() throws -> [Value] {
        var (values, last) = ([first.value], first.json)
        for record in commits().flatMap(\.viewModels).filter({ $0.name == viewModel }).flatMap(\.outputs)
        where record.name == output && record.seq > begun {
            let json = try JSON.decode(RawJSON.self, from: record.value)
            // It may be there as it was: with a change of another output, or by a build that shows others.
            guard json != last else { continue }
            last = json
            values.append(try JSON.decode(Value.self, from: record.value))
        }
        return values
    }

    /// The first values, once there are so many: for a view model that changes by itself.
    ///
    /// - Throws: ``NothingCame`` after a minute; as ``values()``.
    public func values(
        first count: Int, fileID: StaticString = #fileID, line: UInt = #line
    ) async throws -> [Value] {
        var values: [Value] = []
        let areThere = try await eventually(within: .seconds(60)) {
            values = try self.values()
            return values.count >= count
        }
        guard areThere else {
            throw NothingCame(
                "\(viewModel).\(output) has shown \(values.count) values, not \(count): \(values)", fileID, line)
        }
        return Array(values.prefix(count))
    }
}
