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
                Self.answer(lane, path, settings)
                threads.leave()
            }
        }
    }

    /// Answers questions until the lane is closed, by a connection that is made when it is needed.
    private static func answer(_ lane: Lane<Question>, _ path: String, _ settings: SQLiteStore.Settings) {
        let health = StoreHealth(tell: settings.tell)
        var reader: EntityReader?
        while let questions = lane.take(atMost: .max) {
            for question in questions {
                do throws(SQLiteFailure) {
                    let opened = if let reader { reader } else { try EntityReader(path) }
                    reader = opened
                    try opened.answer(question, settings)
                    health.end(nil)
                } catch {
                    health.end("reading failed: \(error.message)")
                    question.fail()
                }
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
