import Dispatch
import Entities
import Foundation
import StoreParts

/// The threads that read, each with a connection.
///
/// A reader never waits for the writer, nor the writer for a reader (https://sqlite.org/wal.html, section 2.2).
final class Readers: Sendable {
    private let lanes = [Lane<Question>(), Lane()]
    /// Empty once the last thread has closed its connection.
    private let threads = DispatchGroup()

    /// Starts the threads.
    init(_ path: String, _ settings: SQLiteStore.Settings) {
        for lane in lanes {
            threads.enter()
            Thread.start(named: "sqlite-reader") { [threads] in
                do {
                    var reader = Reader(path, settings)
                    while let questions = lane.take(atMost: .max) {
                        for question in questions { reader.answer(question) }
                    }
                }
                threads.leave()
            }
        }
    }

    /// Asks a question.
    func add(_ question: Question) {
        let lane = lanes[Int(UInt(bitPattern: question.id.hashValue) % UInt(lanes.count))]
        if !lane.add(question) { question.fail() }
    }

    /// Answers the questions that were asked, closes the connections, and calls back.
    func close(then closed: @escaping @Sendable () -> Void) {
        for lane in lanes { lane.close() }
        threads.notify(queue: .global(), execute: closed)
    }
}

/// The state of a thread that reads.
private struct Reader {
    private let path: String
    private let settings: SQLiteStore.Settings
    private let health: StoreHealth
    /// Made when it is needed.
    private var statements: EntityReader?

    init(_ path: String, _ settings: SQLiteStore.Settings) {
        (self.path, self.settings) = (path, settings)
        health = StoreHealth(tell: settings.tell)
    }

    mutating func answer(_ question: Question) {
        do throws(SQLiteFailure) {
            let reader = try opened()
            switch question {
            case .load(let id, let done):
                let result = try reader.load(id)
                health.end(nil)
                if result == .failed { settings.tell(.unreadable(id)) }
                done(result)
            case .head(let id, let done):
                let head = try reader.head(of: id)
                health.end(nil)
                done(ReadResult(head))
            case .key(let key, let id, let done):
                let result = try reader.lookUp(key, in: id, now: settings.milliseconds)
                health.end(nil)
                done(result)
            }
        } catch {
            health.end("reading failed: \(error.message)")
            question.fail()
        }
    }

    private mutating func opened() throws(SQLiteFailure) -> EntityReader {
        if let statements { return statements }
        let reader = try EntityReader(Connection(path, .read))
        statements = reader
        return reader
    }
}
