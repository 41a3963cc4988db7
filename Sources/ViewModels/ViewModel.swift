/// A class that owns a small model, takes actions and publishes outputs.
///
/// One file declares it whole: the model, the outputs, the actions and the wiring between them. Its ``interface``
/// yields the routes, the OpenAPI description, the change feed and the persistence.
///
/// One instance serves one session and is made when it is first touched. It is used by one turn at a time and needs
/// no locks: it is never called from two threads at once, though the thread differs from turn to turn.
public protocol ViewModel: AnyObject, Presented {
    /// The value the view model is rebuilt from; the only thing of it that is stored.
    associatedtype Model: StoredModel

    /// What can be read from this view model and what can be asked of it, by name.
    static var interface: Interface<Self> { get }

    /// The model as it is now; two view models made from equal models have equal outputs.
    var model: Model { get }
}
