import Sessions
import Testing

/// The stores that have to keep the contract; a new one is a line here.
enum StoreKind: String, CaseIterable, CustomTestStringConvertible {
    case memory

    var testDescription: String { rawValue }

    /// An empty store that nobody else uses.
    func make() async throws -> any SessionStore {
        switch self {
        case .memory: MemoryStore()
        }
    }
}
