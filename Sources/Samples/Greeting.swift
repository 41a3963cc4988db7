import ViewModels

/// The source from which the greeting's view pulls.
protocol GreetingDataSource: AnyObject {
    var title: String { get }
}

/// An object that is told that the greeting changed, without data.
protocol GreetingDelegate: AnyObject {
    /// Something changed; pull it from the data source.
    func greetingDidChange()
}

/// MVC with a data source: the view is told that something changed, and pulls what it needs.
///
/// Over HTTP this is a poll with `values=none` and then a GET.
final class Greeting: ObjectViewModel, GreetingDataSource {
    struct Model: StoredModel {
        var title = "Hello, world!"
    }

    static let interface = Interface<Greeting>("greeting", "Greets, more and more emphatically.") {
        Output("title", \.title, "The title to show.")
        Action("increase-title", "Appends an exclamation mark.") { try $0.increaseTitle() }
            .refusing(.disabled, "The title has 4,096 characters.")
    }

    /// Is told of each change; held weakly.
    weak var delegate: (any GreetingDelegate)?
    private(set) var model: Model

    init(model: Model, context: Context) { self.model = model }

    var title: String { model.title }

    func increaseTitle() throws {
        guard title.count < 4096 else { throw Refusal.disabled("The title is as long as it may be: 4,096 characters.") }
        model.title += "!"
        delegate?.greetingDidChange()
    }
}
