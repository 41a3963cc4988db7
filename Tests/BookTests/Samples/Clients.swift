import BinderyKit
import BinderyTesting
import Foundation
import Samples
import Testing

@Test("the book's client binds to a counter on a server, and is told why an action is refused")
func client() async throws {
    try await withServer(viewModels: Catalogue.samples.viewModels) { server in
        let (url, label, center) = (server.url, Label(), NotificationCenter())

        let client = BinderyClient(url)
        let session = try await client.session()

        let bound = try await session.bound()
        let counter = try bound.viewModel(CounterViewModel.self)
        center.observe(counter.text, bindTo: label, \.text)
        try await counter.act("increment")

        #expect(label.text == "1")
        #expect(try await next(session) == "1")
        try await counter.act("decrement")

        do {
            try await counter.act("decrement")
        } catch let problem as RemoteProblem where problem.type == "/problems/action-disabled" {
            label.text = problem.detail
        }

        #expect(label.text == "The counter is at zero; increment it first.")
        await bound.close()
    }
}

private func next(_ session: RemoteSession) async throws -> String? {
    for try await update in session.changes(topics: ["counter"]) {
        if let text = try update.value(of: \CounterViewModel.text) { return text }
    }
    return nil
}
