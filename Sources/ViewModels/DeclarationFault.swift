/// What is wrong with the declaration of a view model, or with the list of them, so that no server begins to serve it.
///
/// Of an interface:
/// - a malformed name; two outputs of one name, or two actions or facets, or names that differ in case alone;
/// - no output; a facet of no output, of one twice or of one that is not there;
/// - an output or a body of a type whose shape is not known or is none, or that is written in another order each time, as
///   ``SchemaFault`` says;
///   an output of a type that writes something else than it reads;
/// - an example of a body that cannot be encoded, that its action would refuse, or that has not the shape of its type;
/// - a refusal of which it is not said when it is, or of a type, a status or a title that none may have, or of a type that another
///   refusal has in another case, or with another status or title; one that an action declares twice.
///
/// Of a model:
/// - a version below 1;
/// - a type that is written in another order each time;
/// - an `init()` that makes what cannot be stored and read back.
///
/// Of the list:
/// - no view model;
/// - one with a name of the server's own, such as `session`, whatever its case;
/// - two of one name, or of names that differ in case alone;
/// - a refusal of a type that another view model declares in another case, or with another status or title.
public struct DeclarationFault: Error, Hashable, Sendable, CustomStringConvertible {
    /// The view model's name; nil where it is the list that is wrong, or the name.
    public let viewModel: Name?
    /// What is wrong and what to write instead.
    public let complaint: String

    /// Finds a fault.
    public init(_ viewModel: Name?, _ complaint: String) {
        self.viewModel = viewModel
        self.complaint = complaint
    }

    /// One line for a terminal.
    public var description: String { (viewModel.map { "\($0): " } ?? "") + complaint }
}
