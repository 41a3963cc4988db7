/// A type whose actions have a context.
public protocol Contextual: SendableMetatype {
    /// The services that the host gives to the actions, such as a validator; see `Declaration.hosting(_:with:)`.
    associatedtype Services: Sendable = Void
    /// The context of an action; inside of the type, write `Context`.
    typealias Context = ActionContext<Services>
    /// The attempt of an effect; inside of the type, write `Attempt`.
    typealias Attempt = EffectAttempt<Services>
}

/// A type that a server can host: a ``ViewModel``, or an ``ObjectViewModel``.
public protocol Hostable: Contextual {
    /// The state that the host keeps between actions; for a ``ViewModel``, the type itself.
    associatedtype Model: StoredModel

    /// The name, the outputs and the actions.
    static var interface: Interface<Self> { get }

    /// Makes a view model from its model.
    ///
    /// Equal models must give equal outputs in one language. Outside of an action, `context.time` is not the real time.
    init(model: Model, context: Context)

    /// The state that the host keeps.
    var model: Model { get }

    /// The outputs of a named entity that a caller may see; the default is all.
    ///
    /// It must be quick, and depend only on its arguments. The server applies it to views, feeds, refusals and replays.
    /// It does not apply to an action that is declared ``Action/making()``; see ``Action/allowing(_:)``.
    /// - Parameter user: the user of the caller's session; nil if the session has no user.
    static func access(_ user: User?, _ model: Model) -> Access
}

extension Hostable {
    /// All outputs.
    @inlinable
    public static func access(_ user: User?, _ model: Model) -> Access { .all }
}

/// A view model as a value: stored properties are state, computed ones are outputs, mutating functions are actions.
///
/// The host runs an action on a copy. If the action throws, the host drops the copy, so nothing changes.
/// ```swift
/// struct Greeting: ViewModel {
///     var title = "Hello, world!"
///     static let interface = Interface<Greeting>("greeting") {
///         Output("title", \.title)
///         Action("increase-title", "Appends an exclamation mark.") { $0.title += "!" }
///     }
/// }
/// ```
public protocol ViewModel: Hostable, StoredModel where Model == Self {}

extension ViewModel {
    /// Takes the model as the view model.
    @inlinable
    public init(model: Self, context: Context) { self = model }

    /// The view model itself.
    @inlinable public var model: Self { self }
}

/// A view model as a class, as with Variables, streams or `@Observable`.
///
/// For each action, the host makes an object, runs the action, and reads the outputs and the ``Hostable/model``. One
/// thread at a time uses the object. Its Variables must be up to date when the action returns, so observe with `on: nil`.
public protocol ObjectViewModel: Hostable, AnyObject {}

/// A value that one build stores as JSON, and later builds read.
///
/// A build reads the stored value of another build by these rules:
/// - A missing member gets its value from ``init()``, also in nested structures, but not in elements of lists.
///   A missing optional is nil.
/// - The host keeps an unknown member of the outermost object, and stores it again.
/// - A build does not read the value of a later ``version``.
public protocol StoredModel: Codable, Sendable {
    /// Makes the value of a new session; it must be the same each time.
    init()

    /// The version of the stored form, 1 unless declared. It must increase with each change that ``migrate(_:from:)``
    /// handles.
    static var version: Int { get }

    /// Changes the stored form of an earlier version into this one.
    ///
    /// ```swift
    /// static let version = 2
    /// static func migrate(_ stored: inout JSONObject, from version: Int) throws { stored.rename("n", to: "count") }
    /// ```
    /// - Parameter version: the version that was stored, at least 1 and less than ``version``.
    /// - Throws: any error, which makes the view model unreadable for this build.
    static func migrate(_ stored: inout JSONObject, from version: Int) throws
}

extension StoredModel {
    /// The first version.
    public static var version: Int { 1 }

    /// Changes nothing.
    public static func migrate(_ stored: inout JSONObject, from version: Int) throws {}
}
