import Testing

@testable import ViewModels

@Suite("The model of a new session")
struct BeginningTests {
    /// Written under another name than it is read by.
    private struct Renamed: StoredModel {
        var count = 0
        enum CodingKeys: CodingKey { case count, number }
        init() {}
        init(from decoder: any Decoder) throws {
            count = try decoder.container(keyedBy: CodingKeys.self).decode(Int.self, forKey: .count)
        }
        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: CodingKeys.self)
            try container.encode(count, forKey: .number)
        }
    }

    /// Refuses the title that it begins with.
    private struct Choosy: StoredModel {
        var title = ""
        enum CodingKeys: CodingKey { case title }
        init() {}
        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            title = try container.decode(String.self, forKey: .title)
            guard !title.isEmpty else {
                throw DecodingError.dataCorruptedError(
                    forKey: .title, in: container, debugDescription: "A title has a letter.")
            }
        }
    }

    private struct Strict: StoredModel {
        struct Empty: Error {}
        init() {}
        init(from decoder: any Decoder) throws { throw Empty() }
        func encode(to encoder: any Encoder) throws { _ = encoder.container(keyedBy: Choosy.CodingKeys.self) }
    }

    private struct Endless: StoredModel { var ratio = Double.infinity }

    private final class Keeper<Model: StoredModel>: ViewModel {
        static var interface: Interface<Keeper> { Interface("keeper") { Output("count", \.count) } }
        var count: Int { 0 }
        let model: Model
        init(model: Model) { self.model = model }
    }

    private func faults<Model: StoredModel>(with model: Model.Type) -> [String] {
        Declaration.hosting(Keeper<Model>.init(model:)).faults.map(\.description)
    }

    private static let remedy = "; let its init(from:) take all that its encode(to:) writes"

    private static func unread(_ type: String) -> String {
        "keeper: the model ViewModelsTests.BeginningTests.\(type) does not read what it writes of what init() makes: "
    }

    @Test("is a fault where it is not read back, which says of which type, where and why")
    func unread() {
        #expect(
            faults(with: Renamed.self) == [
                Self.unread("Renamed") + "the member count is missing and has no default" + Self.remedy
            ])
        #expect(
            faults(with: Choosy.self) == [
                Self.unread("Choosy")
                    + "the member title has a value that this build does not read (A title has a letter)"
                    + Self.remedy
            ])
        #expect(
            faults(with: Strict.self) == [
                Self.unread("Strict") + "the model was refused by its type's init(from:) (Empty())" + Self.remedy
            ])
    }

    @Test("is a fault where it cannot be encoded, which says where and why")
    func unencodable() {
        #expect(
            faults(with: Endless.self) == [
                "keeper: the model ViewModelsTests.BeginningTests.Endless cannot be encoded as init() makes it: its member ratio: "
                    + "Unable to encode Double.inf directly in JSON; begin with a value that can"
            ])
    }

    @Test("is none where a later build or an earlier one has other members")
    func sound() { #expect(faults(with: Album.Model.self) == []) }
}
