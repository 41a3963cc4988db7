import TestSupport
import Testing

@testable import Service
@testable import Sessions

@Suite("What no request is answered with, in the log")
struct TroubleTests {
    @Test("a change that hangs is told with its view model and its time, and that none has a thread")
    func told() throws {
        let text = History<String>()
        let log = AccessLog(format: .text) { text.note(String(decoding: $0, as: UTF8.self)) }
        let registry = SessionRegistry(catalogue: .standard, store: MemoryStore())
        let service = Service(registry: registry, log: log)
        registry.environment.tell(.changeTimedOut(viewModel: registry.catalogue.viewModels[0].name))
        registry.environment.tell(.noThreadForChange)
        log.flush()
        let lines = text.elements.joined()
        #expect(lines.contains(" bound action-timeout of changes in counter reached once (limit 30)\n"))
        #expect(lines.contains(" bound action-threads for changes reached once\n"))
        withExtendedLifetime(service) {}
    }
}
