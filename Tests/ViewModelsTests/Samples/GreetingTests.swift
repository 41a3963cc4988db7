import Testing
import ViewModels

@testable import Samples

/// Protects the greeting with its delegate and data source.
@Suite("greeting")
struct GreetingTests {
    /// A view that is told that something changed, and pulls what it shows.
    private final class Label: GreetingDelegate {
        weak var dataSource: (any GreetingDataSource)?
        private(set) var shown: [String] = []

        init(_ dataSource: any GreetingDataSource) {
            self.dataSource = dataSource
            greetingDidChange()
        }

        func greetingDidChange() {
            if let dataSource { shown.append(dataSource.title) }
        }
    }

    @Test("begins with the greeting and grows by an exclamation mark each time")
    func grows() async throws {
        let greeting = try Bench("greeting")
        #expect(try greeting.shown() == #"{"title":"Hello, world!"}"#)
        try await greeting.run("increase-title")
        try await greeting.run("increase-title")
        #expect(try greeting.shown() == #"{"title":"Hello, world!!!"}"#)
    }

    @Test("stops growing at 4,096 characters: the action is refused and nobody is told")
    func longest() throws {
        let title = String(repeating: "!", count: 4095)
        let greeting = Greeting(model: Greeting.Model(title: title), context: .init())
        let label = Label(greeting)
        greeting.delegate = label
        try greeting.increaseTitle()
        #expect(throws: Refusal.disabled("The title is as long as it may be: 4,096 characters.")) {
            try greeting.increaseTitle()
        }
        #expect(label.shown == [title, title + "!"])
        #expect(greeting.title.count == 4096)
    }

    @Test("neither the greeting nor its view keeps the other one")
    func nothingLeaks() throws {
        weak var goneGreeting: Greeting?
        weak var goneLabel: Label?
        do {
            let greeting = Greeting(model: .init(), context: .init())
            let label = Label(greeting)
            greeting.delegate = label
            try greeting.increaseTitle()
            #expect(label.shown == ["Hello, world!", "Hello, world!!"])
            (goneGreeting, goneLabel) = (greeting, label)
        }
        #expect(goneGreeting == nil)
        #expect(goneLabel == nil)
    }
}
