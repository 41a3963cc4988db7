/// A member of an object, or an element of a list.
struct JSONPart {
    let name: String
    let shape: JSONShape
    /// Its value; nil where it is missing or null.
    let node: JSONNode?

    init(_ name: String, _ shape: JSONShape, _ node: JSONNode?) {
        (self.name, self.shape) = (name, shape)
        if case .null = node { self.node = nil } else { self.node = node }
    }

    /// Its value as JSON text.
    var text: [UInt8] { (node ?? .null).text }
}
