import Samples
import Testing
import ViewModelContract
import ViewModels

@Suite("The contract of view models")
struct ContractTests {
    static let seeds: [UInt64] = [1, 2, 3]

    @Test("every view model of the catalogue keeps to it, whichever way it is walked", arguments: seeds)
    func catalogue(seed: UInt64) async {
        let violations = await Catalogue.samples.viewModels.violations(
            languages: Catalogue.samples.languages, seed: seed)
        #expect(violations == [])
    }

    @Test("a login that is asked for every pair of entries keeps to it")
    func login() async throws {
        let login = try Catalogue.samples.viewModels[#require(Catalogue.samples.place(of: "login"))]
        let fields = ["", #""id":null"#, #""id":"""#, #""id":"i""#]
        let samples = fields.flatMap { id in
            fields.map { field in
                let password = field.replacing("id", with: "password")
                let members = [id, password].filter { !$0.isEmpty }
                return SampleInput("validate", json: "{\(members.joined(separator: ","))}")
            }
        }
        let violations = await login.violations(
            samples: samples, languages: Catalogue.samples.languages, steps: 200)
        #expect(violations == [])
    }
}
