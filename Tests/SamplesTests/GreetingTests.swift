import Samples
import TestSupport
import Testing
import ViewModels

@Suite("greeting")
struct GreetingTests {
    /// A view that is told that something changed, and pulls what it shows.
    final class Label: GreetingDelegate {
        weak var dataSource: (any GreetingDataSource)?
        var text: String { shown.elements.last ?? "" }
        let shown = History<String>()

        init(_ dataSource: any GreetingDataSource) {
            self.dataSource = dataSource
            greetingDidChange()
        }

        func greetingDidChange() {
            if let dataSource { shown.note(dataSource.title) }
        }
    }

    @Test("begins with the greeting and grows by an exclamation mark each time")
    func grows() throws {
        let greeting = GreetingViewModel()
        #expect(greeting.title == "Hello, world!")
        try greeting.increaseTitle()
        try greeting.increaseTitle()
        #expect(greeting.title == "Hello, world!!!")
    }

    @Test("stops growing at 4,096 characters: refused, and nothing changes")
    func longest() throws {
        var model = GreetingViewModel.Model()
        model.title = String(repeating: "!", count: 4095)
        let greeting = GreetingViewModel(model: model)
        let label = Label(greeting)
        greeting.delegate = label
        try greeting.increaseTitle()
        #expect(greeting.title.count == 4096)
        let refusal = #expect(throws: ActionRefusal.self) { try greeting.increaseTitle() }
        #expect(refusal?.kind == .disabled)
        #expect(greeting.title.count == 4096)
        #expect(label.shown.elements.count == 2)
    }

    @Test("the delegate is told of each change, without data, and pulls the title")
    func delegate() throws {
        let greeting = GreetingViewModel()
        let label = Label(greeting)
        greeting.delegate = label
        try greeting.increaseTitle()
        #expect(label.shown.elements == ["Hello, world!", "Hello, world!!"])
    }

    @Test("the delegate is told when the title is there already, not before it")
    func toldAfterwards() throws {
        let greeting = GreetingViewModel()
        let label = Label(greeting)
        greeting.delegate = label
        try greeting.increaseTitle()
        #expect(label.text == greeting.title)
    }

    @Test("neither holds the other: both go when whoever made them lets go")
    func nothingLeaks() throws {
        weak var goneGreeting: GreetingViewModel?
        weak var goneLabel: Label?
        do {
            let greeting = GreetingViewModel()
            let label = Label(greeting)
            greeting.delegate = label
            try greeting.increaseTitle()
            (goneGreeting, goneLabel) = (greeting, label)
        }
        #expect(goneGreeting == nil)
        #expect(goneLabel == nil)
    }

    @Test("without a delegate, or with one that has gone, it grows all the same")
    func alone() throws {
        let greeting = GreetingViewModel()
        do {
            let label = Label(greeting)
            greeting.delegate = label
        }
        #expect(greeting.delegate == nil)
        try greeting.increaseTitle()
        #expect(greeting.title == "Hello, world!!")
    }

    @Test("a view whose data source has gone shows what it showed last")
    func orphan() {
        let label: Label
        do {
            let greeting = GreetingViewModel()
            label = Label(greeting)
        }
        #expect(label.dataSource == nil)
        label.greetingDidChange()
        #expect(label.text == "Hello, world!")
    }
}
