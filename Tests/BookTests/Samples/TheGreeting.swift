import Samples
import Testing

final class GreetingLabel: GreetingDelegate {
    weak var dataSource: (any GreetingDataSource)?
    var text = ""

    func greetingDidChange() {
        if let dataSource { text = dataSource.title }
    }
}

@Test("a label pulls what it shows when it is told that something changed")
func greetingLabel() throws {
    let greeting = GreetingViewModel()
    let label = GreetingLabel()
    (label.dataSource, greeting.delegate) = (greeting, label)
    try greeting.increaseTitle()
    #expect(label.text == "Hello, world!!")
}
