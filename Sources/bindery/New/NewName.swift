import BinderyKit
import ViewModelContract

/// What a package or a view model is to be called.
struct NewName: Equatable {
    /// As a type of Swift: `ShoppingList`.
    let swift: String
    /// As a path: `shopping-list`.
    let path: String

    /// - Throws: `UsageError` where it cannot be a view model's, without `ViewModel` behind it.
    init(_ text: String) throws {
        guard text.wholeMatch(of: /[A-Z][A-Za-z0-9]*/) != nil else {
            throw UsageError(
                "\(text.isEmpty ? "an empty word" : text) cannot be a name: a capital letter, then letters and digits, "
                    + "as ShoppingList")
        }
        guard !text.hasSuffix("ViewModel") else {
            throw UsageError("\(text) cannot be a name: leave out ViewModel, which its type has behind it")
        }
        (swift, path) = (text, Self.path(of: text))
        guard Name(path) != nil else { throw UsageError("\(text) cannot be a name: it is too long for a path") }
        guard !Declaration.takenNames.contains(path) else {
            throw UsageError("\(text) cannot be a name: the server itself answers at /\(path)")
        }
    }

    /// - Throws: `UsageError` where it can be a view model's, but not a package's with a target and a program of that name.
    init(ofPackage text: String) throws {
        try self.init(text)
        let taken = "\(text) cannot be a package's name:"
        guard !Self.targets.contains(where: { $0.lowercased() == text.lowercased() }) else {
            throw UsageError("\(taken) Bindery has a target of that name, and SwiftPM allows only one")
        }
        guard !Self.swiftNames.contains(text), !Template.identifiers.contains(text) else {
            throw UsageError("\(taken) its code means something else by \(text)")
        }
    }

    /// `HTTPServer2` is `http-server2`.
    private static func path(of name: String) -> String {
        name.replacing(/([a-z0-9])([A-Z])/) { "\($0.1)-\($0.2)" }
            .replacing(/([A-Z])([A-Z][a-z])/) { "\($0.1)-\($0.2)" }
            .lowercased()
    }

    /// Bindery's own, and its package.
    static let targets = [
        "Bindery", "BinderyClient", "BinderyKit", "BinderyTesting", "Binding", "CBuild", "CCrash", "CGnuTLS",
        "CHTTPShim", "CMalloc", "CMicrohttpd", "CPostgres", "CSQLite", "EntitiesNext", "Events", "HTTP", "Locking",
        "PostgresStore", "PostgresStoreNext", "SQLiteStore", "SQLiteStoreNext", "Samples", "Service", "Sessions",
        "StandIns", "StoreParts", "StorePartsNext", "ViewModelContract", "ViewModels", "ViewModelsNext", "WebFiles",
    ]

    /// Words of Swift, and modules that Bindery or its tests import.
    private static let swiftNames: Set = [
        "Any", "Protocol", "Self", "Type", "Dispatch", "Foundation", "FoundationEssentials", "FoundationNetworking",
        "Glibc", "Observation", "Swift", "Synchronization", "Testing", "XCTest",
    ]
}
