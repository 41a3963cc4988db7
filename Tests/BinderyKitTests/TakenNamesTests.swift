import Samples
import Service
import Sessions
import Testing
import ViewModels

@testable import ViewModelContract

@Suite("Names a view model cannot have")
struct TakenNamesTests {
    @Test("are the ones at which the service answers itself, all of them")
    func complete() {
        let service = Service(registry: SessionRegistry(catalogue: .samples, store: MemoryStore()))
        let segments = service.routes.compactMap { $0.template.split(separator: "/").first.map(String.init) }
        let own = Set(segments).subtracting(Catalogue.samples.viewModels.map(\.name.rawValue))
        // What no name can be, as openapi.yaml with its dot, need not be kept free.
        #expect(own.filter { Name($0) != nil } == Declaration.takenNames)
    }
}
