/// A member of an object, or an element of a list.
struct JSONPart {
    let name: String
    let shape: JSONShape
    /// Its value; nil where it is missing.
    let node: JSONNode?
}
