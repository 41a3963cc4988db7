import BinderyKit
import Foundation

@testable import Stopwatch

// Where Foundation keeps its client to itself, as on Linux.
#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// A lap timer on a free port, its clock moved by hand.
struct Served {
    struct Answer {
        let status: Int
        let text: String
        let cursor: String
        var json: Any? { try? JSONSerialization.jsonObject(with: Data(text.utf8)) }
    }

    let clock: ManualClock
    let port: UInt16

    /// Serves for as long as a test runs.
    static func stopwatch(
        store: any SessionStore = MemoryStore(), clock: ManualClock = ManualClock(),
        _ test: (Served) async throws -> Void
    ) async throws {
        var options = BinderyServer.Options()
        options.port = 0
        let lapTimer = Declaration.hosting { LapTimer(model: $0, context: $1, clock: clock) }
        let server = BinderyServer(viewModels: [lapTimer], store: store, options: options)
        let served = Served(clock: clock, port: try server.start())
        do {
            try await test(served)
        } catch {
            await server.stop()
            throw error
        }
        await server.stop()
    }

    func get(_ path: String) async throws -> Answer { try await ask("GET", path) }

    func post(_ action: String) async throws -> Answer { try await ask("POST", "stopwatch/\(action)") }

    private func ask(_ method: String, _ path: String) async throws -> Answer {
        guard let url = URL(string: "http://127.0.0.1:\(port)/\(path)") else { throw URLError(.badURL) }
        var request = URLRequest(url: url)
        request.httpMethod = method
        let (body, response) = try await URLSession.shared.data(for: request)
        guard let response = response as? HTTPURLResponse else { throw URLError(.badServerResponse) }
        let tag = response.value(forHTTPHeaderField: "ETag") ?? ""
        return Answer(
            status: response.statusCode, text: String(decoding: body, as: UTF8.self),
            cursor: tag.replacing("\"", with: ""))
    }
}
