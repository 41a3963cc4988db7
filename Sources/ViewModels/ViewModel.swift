/// A type whose actions have a context.
public protocol Contextual: SendableMetatype {
    /// What the host lends to the actions, such as a validator; see `Declaration.hosting(_:with:)`.
    associatedtype Services: Sendable = Void
    /// What an action is told besides its input; inside of the type `Context` alone is enough.
    typealias Context = ActionContext<Services>
    /// What the work of an effect is told besides its input; inside of the type `Attempt` alone is enough.
    typealias Attempt = EffectAttempt<Services>
}

/// A type that a server can host: a ``ViewModel``, or an ``ObjectViewModel``.
public protocol Hostable: Contextual {
    /// What survives between actions; a ``ViewModel`` survives itself.
    associatedtype Model: StoredModel

    /// The name, the outputs and the actions.
    static var interface: Interface<Self> { get }

    /// Continues from a model.
    ///
    /// Equal models must give equal outputs in one language. Outside of an action the time of `context` is no real time.
    init(model: Model, context: Context)

    /// What survives.
    var model: Model { get }

    /// What a caller may see of a named entity; everything, unless declared.
    ///
    /// It must be quick, and depend on nothing else. Every answer respects it: views, feeds, refusals and replays. An action
    /// that is declared ``Action/making()`` is allowed to all; see ``Action/allowing(_:)``.
    /// - Parameter user: whom the caller's session belongs to; nil for nobody.
    static func access(_ user: User?, _ model: Model) -> Access
}

extension Hostable {
    /// Everything.
    @inlinable
    public static func access(_ user: User?, _ model: Model) -> Access { .all }
}

/// A view model as a value: stored properties survive, computed properties are outputs, mutating functions are actions.
///
/// The host runs an action on a copy. If the action throws, the host drops the copy, so nothing has changed.
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
    /// Continues from the view model as it was.
    @inlinable
    public init(model: Self, context: Context) { self = model }

    /// The view model itself.
    @inlinable public var model: Self { self }
}

/// A view model as a class, as with Variables, streams or `@Observable`.
///
/// For each action the host makes an object, runs the action, reads the outputs and the ``Hostable/model``, and forgets it.
/// One thread at a time uses it. Its Variables must be up to date when the action returns, so observe with `on: nil`.
public protocol ObjectViewModel: Hostable, AnyObject {}

/// A value that outlives the build that stored it, as JSON.
///
/// A build reads what another build stored by these rules:
/// - A missing member has the value that ``init()`` gives it, also inside of nested structures, but not of elements of
///   lists. A missing optional is nil.
/// - An unknown member of the outermost object is kept and stored again.
/// - What a later ``version`` stored is not read.
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
