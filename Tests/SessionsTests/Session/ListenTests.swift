import Binding
import Foundation
import Locking
import Samples
import Sessions
import TestSupport
import Testing
import ViewModels

@Suite("A view model that listens on its session's center")
struct ListenTests {
    /// Counts what the other view models of its session show anew.
    final class Listener: ViewModel {
        struct Model: StoredModel { var heard = 0 }

        static let interface = Interface<Listener>("listener") {
            Output("heard", \.heard)
            Action("forget", Listener.forget)
        }

        func forget() { heard.value = 0 }

        let heard: Variable<Int>
        var model: Model {
            var model = Model()
            model.heard = heard.value
            return model
        }
        private let center: NotificationCenter
        private let token: any NSObjectProtocol

        init(model: Model, context: ViewModelContext) {
            let heard = Variable(model.heard)
            self.heard = heard
            center = context.center
            token = center.addObserver(forName: .variableDidChange, object: nil, queue: nil) { notification in
                // Its own change posts there as well.
                guard let variable = notification.object as? any ReadableVariable, variable.id != heard.id else {
                    return
                }
                heard.value += 1
            }
        }

        deinit { center.removeObserver(token) }
    }

    private static let catalogue = Catalogue([
        .hosting(CounterViewModel.init(model:)),
        .hosting { Listener(model: $0, context: $1) },
    ])

    /// What the listener shows; it is made where it was not yet.
    private func heard(in session: Session) async throws -> String {
        String(utf8: try await session.view(at: 1).value.json)
    }

    @Test("hears another's outputs, and what it changes then is in the same commit")
    func hears() async throws {
        let bench = try await Bench(of: Self.catalogue)
        _ = try await heard(in: bench.session)
        let start = bench.session.cursor
        _ = try await bench.session.perform(ActionID(0, of: 0))
        #expect(
            try await bench.session.changes(since: start).places == [
                "1 counter.text", "1 counter.enabled", "1 counter.alpha", "1 listener.heard",
            ])
        #expect(try await heard(in: bench.session) == #"{"heard":3}"#)
    }

    @Test("is in the same commit wherever it is listed")
    func listedFirst() async throws {
        let catalogue = Catalogue(Self.catalogue.viewModels.reversed())
        let bench = try await Bench(of: catalogue)
        _ = try await bench.session.view(at: 0).value
        _ = try await bench.session.perform(ActionID(0, of: 1))
        #expect(String(utf8: try await bench.session.view(at: 0).value.json) == #"{"heard":3}"#)
        let stored = try #require(try await bench.store.load(bench.session.id))
        #expect(stored.head.seq == 1)
        #expect(Set(stored.viewModels.keys) == ["counter", "listener"])
    }

    @Test("does not hear itself, and its own actions are as any other's")
    func own() async throws {
        let bench = try await Bench(of: Self.catalogue)
        _ = try await heard(in: bench.session)
        _ = try await bench.session.perform(ActionID(0, of: 0))
        _ = try await bench.session.perform(ActionID(0, of: 1))
        #expect(try await heard(in: bench.session) == #"{"heard":0}"#)
    }

    /// A number that a listener counts up.
    final class Shared: Sendable {
        private let state: Lock<Int>
        init(_ number: Int) { state = Lock(number) }
        var number: Int { state.withLock { $0 } }
        func add() -> Int {
            state.withLock { number in
                number += 1
                return number
            }
        }
    }

    /// Keeps what it heard in its model alone, and shows it in a plain property, or the tens of it in a variable.
    final class Quiet: ViewModel {
        struct Model: StoredModel { var heard = 0 }

        static let interface = Interface<Quiet>("quiet") {
            Output("heard", \.heard)
            Output("tens", \.tens)
        }

        var heard: Int { count.number }
        let tens = Variable(0)
        var model: Model {
            var model = Model()
            model.heard = heard
            return model
        }
        private let count: Shared
        private let center: NotificationCenter
        private let token: any NSObjectProtocol

        init(model: Model, context: ViewModelContext) {
            let (count, tens) = (Shared(model.heard), tens)
            tens.value = model.heard / 10
            self.count = count
            center = context.center
            token = center.addObserver(forName: .variableDidChange, object: nil, queue: nil) { notification in
                guard let variable = notification.object as? any ReadableVariable, variable.id != tens.id else {
                    return
                }
                tens.value = count.add() / 10
            }
        }

        deinit { center.removeObserver(token) }
    }

    @Test("keeps what it heard, also in its model alone and in plain properties: it is told of, stored and survives")
    func quiet() async throws {
        let catalogue = Catalogue([
            .hosting(CounterViewModel.init(model:)), .hosting { Quiet(model: $0, context: $1) },
        ])
        let bench = try await Bench(of: catalogue)
        _ = try await bench.session.view(at: 1).value
        _ = try await bench.session.perform(ActionID(0, of: 0))
        let start = bench.session.cursor
        _ = try await bench.session.perform(ActionID(0, of: 0))
        #expect(try await bench.session.changes(since: start).places == ["2 counter.text", "2 quiet.heard"])
        #expect(try await heard(in: bench.session) == #"{"heard":4,"tens":0}"#)
        let there = try #require(try await bench.replica(of: catalogue).session(for: bench.token).value)
        #expect(try await heard(in: there) == #"{"heard":4,"tens":0}"#)
        for _ in 0..<6 { _ = try await there.perform(ActionID(0, of: 0)) }
        #expect(try await heard(in: there) == #"{"heard":10,"tens":1}"#)
    }

    @Test("goes on hearing after another's action was refused, without anybody asking for it")
    func afterRefusal() async throws {
        let bench = try await Bench(of: Self.catalogue)
        _ = try await heard(in: bench.session)
        await #expect(throws: SessionFailure.self) { try await bench.session.perform(ActionID(1, of: 0)) }
        _ = try await bench.session.perform(ActionID(0, of: 0))
        _ = try await bench.session.perform(ActionID(0, of: 0))
        #expect(try await heard(in: bench.session) == #"{"heard":4}"#)
    }
}
