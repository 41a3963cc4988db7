import BinderyKit

/// Serves the lap timer until it is told to stop.
@main
struct Main {
    static func main() async throws {
        let server = BinderyServer(viewModels: [.hosting { LapTimer(model: $0, context: $1) }])
        try await server.run { print("The stopwatch is at \($0.url)/stopwatch") }
    }
}
