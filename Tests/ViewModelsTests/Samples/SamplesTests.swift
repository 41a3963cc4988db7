import Samples
import Testing
import ViewModels

/// Protects the list of samples and their descriptions.
@Suite("The samples")
struct CatalogueTests {
    @Test("describe every member")
    func summaries() throws {
        for viewModel in try Catalogue(Declaration.samples).viewModels {
            let members =
                viewModel.outputs.map(\.summary) + viewModel.actions.map(\.summary) + viewModel.facets.map(\.summary)
            #expect(!viewModel.summary.isEmpty && members.allSatisfy { !$0.isEmpty }, "\(viewModel.name)")
        }
    }
}
