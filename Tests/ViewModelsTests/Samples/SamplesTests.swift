import Samples
import Testing
import ViewModels

/// Protects the list of samples and their descriptions.
@Suite("The samples")
struct CatalogueTests {
    @Test("are served in the order of the articles")
    func order() {
        #expect(
            Declaration.samples.map(\.name) == [
                "counter", "counter-object", "counter-stream", "login", "greeting", "profile", "orientation",
                "orientation-observed",
            ])
    }

    @Test("describe every member")
    func summaries() throws {
        for viewModel in try Catalogue(Declaration.samples).viewModels {
            let members =
                viewModel.outputs.map(\.summary) + viewModel.actions.map(\.summary) + viewModel.facets.map(\.summary)
            #expect(!viewModel.summary.isEmpty && members.allSatisfy { !$0.isEmpty }, "\(viewModel.name)")
        }
    }
}
