import BinderyKit

struct Model: StoredModel {
    var issued = 0  // "taken" in the build before
    var called = 0
    var desk = "A"  // new: the sessions that are stored get "A"

    static let version = 2
    static func migrate(_ stored: inout StoredObject, from version: Int) throws {
        if version < 2 { stored.rename("taken", to: "issued") }
    }
}
