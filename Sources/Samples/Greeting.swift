import ViewModels

/// The data source of the greeting's view.
protocol GreetingDataSource: AnyObject {
    var title: String { get }
}

/// An object that gets notice of a change of the greeting, without data.
protocol GreetingDelegate: AnyObject {
    /// The greeting changed; read it from the data source.
    func greetingDidChange()
}

/// MVC with a data source: the view gets notice of a change, and reads the data.
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

    /// Gets notice of each change; a weak reference.
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
