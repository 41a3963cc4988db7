import BinderyKit

@testable import bindery

/// A program that says nothing about itself.
enum Plain: BinderyProgram {
    static let viewModels = Bindery.viewModels
}

/// A program that says everything.
enum Errands: BinderyProgram {
    static let viewModels = Bindery.viewModels
    static let name = "errands"
    static let version = "1.4.0"
    static let store = Store.memory
    static var options: BinderyServer.Options {
        var options = BinderyServer.Options()
        (options.port, options.sessions.actionTime) = (81, .seconds(10))
        return options
    }
}

/// A program that cannot be served: two view models have one name.
enum Twice: BinderyProgram {
    static let viewModels = [Bindery.viewModels[0], Bindery.viewModels[0]]
}

/// The message of an error, as the program prints it.
func complaint(of body: () async throws -> Void) async -> String? {
    do {
        try await body()
        return nil
    } catch { return (error as? UsageError)?.message ?? "\(error)" }
}
