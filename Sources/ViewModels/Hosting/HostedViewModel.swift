import Binding

/// One session's instance of a view model, its type put aside.
///
/// Belongs to the turn that holds it; not to be used from two threads at once.
public protocol HostedViewModel: AnyObject {
    /// Which variable holds an output, in the order of the declared outputs, perhaps one for several; nil for an output
    /// that is compared after each turn instead.
    var variables: [(any ReadableVariable)?] { get }

    /// The view model itself, as it names itself in ``ViewModelContext/changes(of:)``.
    var identity: ObjectIdentifier { get }

    /// Whether it has asked for a way to change without an action of its own: ``ViewModelContext/changes(of:)``, or
    /// ``ViewModelContext/center``.
    ///
    /// Such a one has to be there for its changes to happen: a host that throws it away makes another.
    var changesItself: Bool { get }

    /// The version of the model that is to be stored with it: this build's, or the later one that stored what this one
    /// was made from.
    var version: Int { get }

    /// The model as JSON text, with what was stored with it that this build does not know.
    ///
    /// - Throws: `EncodingError`.
    func encodedModel() throws -> [UInt8]

    /// The present value of one output as JSON text.
    ///
    /// - Parameter index: the place of the output in the declaration.
    /// - Throws: `EncodingError`.
    func encodedOutput(at index: Int) throws -> [UInt8]

    /// Runs an action.
    ///
    /// - Parameters:
    ///   - index: the place of the action in the declaration.
    ///   - body: JSON text; empty where none was sent.
    /// - Throws: ``ActionRefusal``, or whatever the view model throws.
    func perform(_ index: Int, body: [UInt8]) async throws

    /// Runs an action that never waits.
    ///
    /// - Returns: false where it may have to wait; nothing was done then.
    /// - Throws: as ``perform(_:body:)``.
    func performNow(_ index: Int, body: [UInt8]) throws -> Bool
}
