import Binding
import Foundation
import Locking
import TestSupport
import Testing

/// Protects the observers of plain objects, as those of Variables.
@Suite("Observing a plain object's property")
struct PropertyTests {
    let center = NotificationCenter()

    @Test("the current value is delivered at once, and each change when it is posted")
    func posts() {
        let viewModel = ViewModel()
        let label = Label()
        center.observe(viewModel, \.text, bindTo: label, \.text)
        #expect(label.text == "a")
        viewModel.text = "b"
        #expect(label.text == "a")
        center.post(\ViewModel.text, of: viewModel)
        #expect(label.text == "b")
    }

    @Test("a post without an object tells the observers of that property in every object")
    func postsWithoutObject() {
        let (one, other) = (ViewModel(), ViewModel())
        var seen: [String] = []
        center.observe(one, \.text) { seen.append("one \($0)") }
        one.text = "b"
        other.text = "c"
        center.post(\ViewModel.text, of: other)
        #expect(seen == ["one a"])
        center.post(\ViewModel.text)
        #expect(seen == ["one a", "one b"])
    }

    @Test("a post of another property tells nothing")
    func otherProperty() {
        let viewModel = ViewModel()
        var seen: [String?] = []
        center.observe(viewModel, \.text) { seen.append($0) }
        center.post(\ViewModel.caption, of: viewModel)
        NotificationCenter().post(\ViewModel.text, of: viewModel)
        #expect(seen == ["a"])
    }

    @Test("values and optionals bind to optionals")
    func optionals() {
        let viewModel = ViewModel()
        let label = Label()
        center.observe(viewModel, \.text, bindTo: label, \.caption)
        #expect(label.caption == "a")
        center.observe(viewModel, \.caption, bindTo: label, \.caption)
        #expect(label.caption == nil)
        viewModel.caption = "b"
        center.post(\ViewModel.caption, of: viewModel)
        #expect(label.caption == "b")
    }

    @Test("cancel, a Bag, target and source going away end it, and it keeps neither")
    func ends() {
        let viewModel = ViewModel()
        weak var weakSource: ViewModel?
        weak var weakTarget: Label?
        let label = Label()
        var bag = Bag()
        let cancelled = center.observe(viewModel, \.text, bindTo: label, \.text)
        cancelled.cancel()
        center.observe(viewModel, \.text, bindTo: label, \.text).disposed(by: bag)
        bag = Bag()
        let (bySource, byTarget): (Observer, Observer)
        do {
            let (source, target) = (ViewModel(), Label())
            (weakSource, weakTarget) = (source, target)
            bySource = center.observe(source, \.text, bindTo: label, \.caption)
            byTarget = center.observe(viewModel, \.text, bindTo: target, \.text)
        }
        #expect(weakSource == nil)
        #expect(weakTarget == nil)
        viewModel.text = "b"
        center.post(\ViewModel.text)
        #expect(label.text == "a")
        #expect([cancelled, bySource, byTarget].filter { !$0.isCancelled }.isEmpty)
    }

    @Test("a poster does not wait for a queue, and the values are those of the time of the post")
    func queue() {
        let queue = OperationQueue()
        queue.isSuspended = true
        let viewModel = ViewModel()
        let seen = History<String>()
        center.observe(viewModel, \.text, on: queue) { seen.append($0) }
        for text in ["b", "c"] {
            viewModel.text = text
            center.post(\ViewModel.text, of: viewModel)
        }
        queue.isSuspended = false
        queue.waitUntilAllOperationsAreFinished()
        #expect(seen.all == ["a", "b", "c"])
    }

    @Test("of two that change and post at once, the last value is delivered last")
    func twoPosters() {
        for _ in 0..<300 {
            let source = SafeCounter()
            let seen = History<Int>()
            center.observe(source, \.count) { seen.append($0) }
            let post: @Sendable () -> Void = {
                for _ in 1...10 {
                    source.increment()
                    center.post(\SafeCounter.count, of: source)
                }
            }
            race(post, post)
            #expect(seen.all.last == 20)
            #expect(seen.all == seen.all.sorted())
        }
    }
}

private final class ViewModel {
    var text = "a"
    var caption: String?
}

/// A plain object that may be changed from any thread.
private final class SafeCounter: Sendable {
    private let state = Lock(0)

    var count: Int { state.withLock { $0 } }

    func increment() {
        state.withLock { $0 += 1 }
    }
}
