import BinderyKit
import Foundation
import Testing
import ViewModelContract

@Suite("The article on writing a view model")
struct ArticleTests {
    @Test("shows a view model that is compiled here, to the letter, and keeps the contract")
    func counter() async throws {
        let here = URL(filePath: #filePath).deletingLastPathComponent()
        let article = try String(
            contentsOf: here.appending(path: "../../Sources/BinderyKit/Bindery.docc/WritingAViewModel.md"),
            encoding: .utf8)
        let code = try String(contentsOf: here.appending(path: "Counter.swift"), encoding: .utf8)
        #expect(article.contains("```swift\n\(code.replacing("import BinderyKit\n\n", with: ""))```"))
        let violations = await Declaration.hosting(Counter.init(model:)).violations()
        #expect(violations == [])
    }
}
