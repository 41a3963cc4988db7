import BinderyKit
import ViewModels

/// Runs a test with its own server, and stops the server.
///
/// ```swift
/// @Test("a customer with a number is called") func called() async throws {
///     try await withServer(viewModels: [.hosting(TicketMachine.self)]) { server in
///         let machine = try await server.session().viewModel(TicketMachine.self)
///         try await machine.take()
///         try await machine.call()
///         #expect(machine.display.value == "Number 1, please")
///     }
/// }
/// ```
/// - Parameters:
///   - viewModels: the view models.
///   - languages: their languages, the default first.
///   - options: the options of the server, which always listens on a free port of the loopback.
/// - Throws: what the test throws; `StartError`, `DeclarationFault`.
public func withServer<Result>(
    viewModels: [Declaration], languages: Languages = Languages(.english),
    options: BinderyServer.Options = BinderyServer.Options(), isolation: isolated (any Actor)? = #isolation,
    _ test: (TestServer) async throws -> Result
) async throws -> Result {
    let server = try TestServer(viewModels: viewModels, languages: languages, options: options)
    do {
        let result = try await test(server)
        await server.stop()
        return result
    } catch {
        await server.stop()
        throw error
    }
}

/// Runs a test with a server for a program: its view models, languages and options.
///
/// - Throws: what the test throws; `StartError`, `DeclarationFault`.
public func withServer<Result>(
    _ program: any BinderyProgram.Type, isolation: isolated (any Actor)? = #isolation,
    _ test: (TestServer) async throws -> Result
) async throws -> Result {
    try await withServer(
        viewModels: program.viewModels, languages: program.languages, options: program.options, isolation: isolation,
        test)
}
