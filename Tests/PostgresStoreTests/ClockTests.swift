import Foundation
import Samples
import Sessions
import TestSupport
import Testing

@testable import PostgresStore

@Suite("The clock by which sessions end")
struct ClockTests {
    /// A machine whose time of day is wrong by so many seconds.
    private struct WrongTimeline: Timeline {
        let error: Int64
        var now: Duration { SystemTimeline().now }
        var secondsSince1970: Int64 { SystemTimeline().secondsSince1970 + error }
        func sleep(until time: Duration) async throws { try await SystemTimeline().sleep(until: time) }
    }

    private static let day: Int64 = 86_400

    @Test("a replica whose clock is days ahead ends nobody's session, and one that is days behind keeps its own")
    func wrong() async throws {
        try await withReplicas { one, other in
            func registry(_ store: PostgresStore, _ error: Int64) -> SessionRegistry {
                SessionRegistry(
                    catalogue: .samples, store: store, timeline: WrongTimeline(error: error))
            }
            let (ahead, behind) = (registry(one.store, 3 * Self.day), registry(other.store, -3 * Self.day))
            let token = try await behind.begin(language: .english).token
            #expect(await ahead.endExpired() == 0)
            #expect(await behind.endExpired() == 0)
            #expect(try await ahead.session(for: token).value != nil)
            let end = try #require(try await one.load(token.sessionID)?.end).secondsSince1970
            let expected = SystemTimeline().secondsSince1970 + Self.day
            #expect(abs(end - expected) < 60)
        }
    }

    @Test("a clock that is wrong is told once, with the seconds, and measured")
    func told() async throws {
        let log = RecordedEvents()
        var settings = Settings()
        settings.log = log
        settings.machineTime = { TimeOfDay(secondsSince1970: Int64(Date().timeIntervalSince1970) + 1000) }
        try await withReplicas(settings) { one, _ in
            // Each of the two stores once, though each makes five connections.
            let told = log.named("store-clock-off")
            #expect(told.count == 2)
            for event in told {
                guard case .number(let seconds) = event.fields.first(where: { $0.name == "seconds" })?.value else {
                    Issue.record("the seconds are missing")
                    continue
                }
                #expect((998...1002).contains(seconds))
            }
            let measure = one.store.measures.first { $0.name == "bindery_store_clock_offset_seconds" }
            #expect(measure != nil)
        }
    }

    @Test("a clock that is right is not told of")
    func right() async throws {
        let log = RecordedEvents()
        var settings = Settings()
        settings.log = log
        try await withReplicas(settings) { _, _ in #expect(log.named("store-clock-off").isEmpty) }
    }
}
