import Binding
import Foundation
import Locking
import Samples
import TestSupport
import Testing

@testable import ViewModels

@Suite("A session's notification center")
struct SessionCenterTests {
    /// Notes who posts, for as long as it lives.
    private final class Listener {
        let posters = History<ObjectIdentifier>()
        private let center: NotificationCenter
        private let token: any NSObjectProtocol

        init(_ center: NotificationCenter) {
            self.center = center
            token = center.addObserver(forName: .variableDidChange, object: nil, queue: nil) { [posters] notification in
                (notification.object as? any ReadableVariable).map { posters.note($0.id) }
            }
        }

        deinit { center.removeObserver(token) }
    }

    @Test("is one and the same however often it is asked for")
    func same() {
        let session = SessionCenter()
        #expect(session.center === session.center)
    }

    @Test("is the one that was given, where one was")
    func given() {
        let center = NotificationCenter()
        let count = Variable(0)
        let session = SessionCenter(center)
        session.attach([count])
        let listener = Listener(center)
        count.value = 1
        #expect(session.center === center)
        #expect(listener.posters.elements == [count.id])
    }

    @Test("is posted on by what was attached before anybody asked for it, and by what came after")
    func beforeAndAfter() {
        let session = SessionCenter()
        let before = Variable(0)
        let after = Variable("")
        session.attach([before])
        before.value = 1
        let listener = Listener(session.center)
        session.attach([after])
        before.value = 2
        after.value = "a"
        #expect(listener.posters.elements == [before.id, after.id])
    }

    @Test("is one for all who ask at once, and misses no variable that comes meanwhile")
    func atOnce() {
        let session = SessionCenter()
        let variables = (0..<200).map { Variable($0) }
        let centers = Lock<[NotificationCenter]>([])
        DispatchQueue.concurrentPerform(iterations: 200) { round in
            session.attach([variables[round]])
            let center = session.center
            centers.withLock { $0.append(center) }
        }
        let listener = Listener(session.center)
        for variable in variables { variable.value = 0 }
        #expect(Set(centers.withLock { $0 }.map { ObjectIdentifier($0) }).count == 1)
        #expect(listener.posters.elements == variables.map(\.id))
    }

    @Test("is shared by a session's view models: one hears what another one's outputs post")
    func acrossViewModels() async throws {
        let context = ViewModelContext()
        let counter = try Declaration.hosting(CounterViewModel.init(model:)).make(in: context)
        let listener = Listener(context.center)
        #expect(try counter.performNow(0, body: []))
        #expect(listener.posters.elements.first == counter.variables.first??.id)
    }

    @Test("keeps no variable of a view model that has gone, asked for or not", arguments: [false, true])
    func gone(isAsked: Bool) throws {
        let context = ViewModelContext()
        if isAsked { _ = context.center }
        weak var variable: (any ReadableVariable)?
        do {
            let counter = try Declaration.hosting(CounterViewModel.init(model:)).make(in: context)
            variable = counter.variables.first ?? nil
            #expect(variable != nil)
        }
        #expect(variable == nil)
    }

    @Test("is freed with its context, also where an observer of an output holds the context")
    func cycle() throws {
        final class Token: Sendable {}
        weak var kept: Token?
        do {
            let context = ViewModelContext()
            let counter = try Declaration.hosting(CounterViewModel.init(model:)).make(in: context)
            let text = try #require(counter.variables.first as? Constant<String>)
            let token = Token()
            kept = token
            NotificationCenter().observe(text) { _ in withExtendedLifetime((context.language, context, token)) {} }
        }
        #expect(kept == nil)
    }
}
