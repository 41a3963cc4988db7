import ViewModels

/// What a greeting's view needs to know, pulled by the view itself: its data source.
public protocol GreetingDataSource: AnyObject {
    /// The title to show.
    var title: String { get }
}

/// Whoever wants to know that a greeting changed; told without data, it pulls what it needs.
public protocol GreetingDelegate: AnyObject {
    /// Something of the greeting changed.
    func greetingDidChange()
}

/// MVC with a data source: the view is told that something changed and pulls what it needs.
///
/// Over HTTP that is a poll with `values=none` and then a GET; in process a ``GreetingDelegate`` and the
/// ``GreetingDataSource``, which this conforms to. Both are held weakly, here and by the view.
public final class GreetingViewModel: ViewModel, GreetingDataSource {
    /// The title.
    public struct Model: StoredModel {
        /// What is shown; at most ``GreetingViewModel/longestTitle`` characters.
        public var title = "Hello, world!"
        /// Begins with the greeting.
        public init() {}
    }

    /// How many characters a title may have.
    public static let longestTitle = 4096

    /// The greeting's output and action.
    public static let interface = Interface<GreetingViewModel>("greeting", "Greets, more and more emphatically.") {
        Output("title", \.title, "The title to show.")
        Action("increase-title", "Appends an exclamation mark.", GreetingViewModel.increaseTitle)
            .refusing(.disabled, "The title is as long as it may be.")
    }

    // Inputs

    /// Appends an exclamation mark.
    ///
    /// - Throws: ``ActionRefusal`` where the title is as long as it may be.
    public func increaseTitle() throws {
        guard model.title.count < Self.longestTitle else {
            throw ActionRefusal.disabled("The title is as long as it may be: \(Self.longestTitle) characters.")
        }
        model.title += "!"
        delegate?.greetingDidChange()
    }

    // Outputs

    /// The title to show.
    public var title: String { model.title }

    // Wiring

    /// The title, to rebuild the greeting from.
    public private(set) var model: Model
    /// Is told of each change.
    public weak var delegate: (any GreetingDelegate)?

    /// Begins with a title, by default the greeting.
    public init(model: Model = Model()) { self.model = model }
}
