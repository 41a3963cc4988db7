import TestSupport
import Testing
import ViewModelContract
import ViewModels

@Suite("The contract suite finds")
struct ViolationTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let declaration: Declaration
        let rule: Violation.Rule
        let complaint: String
        let olderModels: [OlderModel]
        var testDescription: String { "\(declaration.name): \(complaint)" }

        init(
            _ declaration: Declaration, _ rule: Violation.Rule, _ complaint: String, olderModels: [OlderModel] = []
        ) {
            self.olderModels = olderModels
            (self.declaration, self.rule, self.complaint) = (declaration, rule, complaint)
        }
    }

    static let cases = [
        Case(
            .hosting(TwoFaced.init(model:)), .declaration,
            "No server serves it: a view model cannot have this name: bindery, changes, livez, readyz, session, sessions are paths "
                + "of the server itself."),
        Case(
            .hosting(TwoFaced.init(model:)), .declaration,
            "No server serves it: declares a facet double that shows count twice."),
        Case(
            .hosting(Misled.init(model:)), .declaration,
            "No server serves it: the example of show is refused as a body, at #/title: The member that the pointer names must be "
                + "a string."),
        Case(
            .hosting(Misled.init(model:)), .declaration,
            "No server serves it: the example of set cannot be encoded: Unable to encode Double.nan directly in JSON."),
        Case(
            .hosting(Drifting.init(model:)), .example,
            "The example of go cannot be encoded: its member x: Unable to encode Double.inf directly in JSON."),
        Case(
            .hosting(Drifting.init(model:)), .example,
            "The example of jump has not the shape of its type, at #/size: it must be a whole number from 0 to 0."
        ),
        Case(
            .hosting(Shop.init(model:)), .undeclared,
            "sell: the refusal \"sold-out\" is declared with status 409, and thrown with 410; make it one kind."),
        Case(
            .hosting(Shop.init(model:)), .undeclared,
            "lend: the refusal \"lent\" is declared with the title \"Lent\", and thrown with \"Away\"; make it one kind."
        ),
        Case(.hosting(Misshapen.init(model:)), .shape, "The output ratio cannot be encoded."),
        Case(
            .hosting(Misshapen.init(model:)), .declaration,
            "No server serves it: the output card: the shape of ViewModelContractTests.Misshapen.Card is not known: it is written "
                + "otherwise than it is read, at #/title, which must be a string; say its shape by conforming it to SchemaDescribing."
        ),
        Case(.hosting(Moody.init(model:)), .encoding, "The same model is stored as another text each time."),
        Case(.hosting(Moody.init(model:)), .encoding, "The model is another once it was stored and read back."),
        Case(.hosting(Brittle.init(model:)), .encoding, "The model cannot be encoded."),
        Case(
            .hosting(Brittle.init(model:)), .encoding, "The model cannot be read back from what is stored of it."),
        Case(
            .hosting(Sealed.init(model:)), .declaration,
            "No server serves it: the model ViewModelContractTests.Sealed.Model cannot be encoded as init() makes it: Top-level "
                + "Model did not encode any values; begin with a value that can."),
        Case(
            .hosting(Forgetful.init(model:)), .rebuild,
            "The output shown is not the same once the view model is made anew from its model."),
        Case(
            .hosting(Forgetful.init(model:)), .rebuild,
            "count does something else once the view model is made anew: what it depends on is not all in the model; for what makes a UUID or rolls dice say isRepeatable: false."
        ),
        Case(.hosting(Greedy.init(model:)), .refusal, "take threw and had changed something before."),
        Case(
            .hosting(Unruly.init(model:)), .foreign,
            "fail threw ViewModelContractTests.Unruly.Trouble, which its caller is told nothing of but 500: where the caller can "
                + "do something about it, throw an ActionRefusal."),
        Case(
            .hosting(Unruly.init(model:)), .undeclared,
            "sell threw the refusal \"sold-out\" of status 410, which it does not declare: add .refusing(…) to it, so that its "
                + "description says so."),
        Case(
            .hosting(Unruly.init(model:)), .undeclared,
            "brew threw the refusal \"teapot\", which has the status 418, which no refusal may have: "
                + "400, 402, 403, 404, 409, 410, 422, 423, 424, 451."),
        Case(
            .hosting(Unruly.init(model:)), .undeclared,
            "pose threw the refusal \"not-found\", which has the type of a problem of the server's own; give it another."
        ),
        Case(
            .hosting(Misled.init(model:)), .declaration,
            "No server serves it: declares the refusal \"draining\" of show, which has the type of a problem of the server's own; "
                + "give it another."),
        Case(
            .hosting(Unruly.init(model:)), .example, "rename does not take its own example: A title has a letter."),
        Case(.hosting(Mute.init(model:)), .posting, unposted),
        Case(.hosting(Restless.init(model:context:)), .posting, unposted),
        Case(
            .hosting(Sound.init(model:)), .storage,
            "The older model 2 of 2 has texts, which the model does not know, and lacks words: if that is a new name, the "
                + "value is lost. Count the model's version up and rename the member in migrate(_:from:). "
                + "If it is gone on purpose, say so: OlderModel(…, gone: […]).",
            olderModels: [#"{"words":["a"]}"#, #"{"texts":["a"]}"#]),
        Case(
            .hosting(Sound.init(model:)), .storage,
            "The older model 1 of 1 cannot be read: sound: the member words/* has a value that this build does not read.",
            olderModels: [#"{"words":[1]}"#]),
    ]

    private static let unposted =
        "The output count changed and was not posted: it has to be one and the same variable for the view model's whole "
        + "life, and be set."

    @Test("what is broken, and says so in a sentence", arguments: cases)
    func finds(broken: Case) async {
        // A change from inside comes when its task does, perhaps when the walk is over: then another walk meets it.
        let isFound = await eventually {
            let violations = await broken.declaration.violations(olderModels: broken.olderModels)
            return violations.contains { $0.rule == broken.rule && $0.complaint == broken.complaint }
        }
        #expect(isFound)
    }

    @Test("nothing in older models that lack a member, or have one more, or are led to this version")
    func olderModels() async {
        let sound = Declaration.hosting(Sound.init(model:))
        #expect(await sound.violations(olderModels: ["{}", #"{"words":[],"more":1}"#]) == [])
        // Another came, and it has nothing to do with the one that went.
        #expect(await sound.violations(olderModels: [#"{"texts":["a"]}"#]) != [])
        #expect(await sound.violations(olderModels: [OlderModel(#"{"texts":["a"]}"#, gone: ["texts"])]) == [])
        #expect(await sound.violations(olderModels: [OlderModel(#"{"texts":["a"]}"#, gone: ["others"])]) != [])
        let renamed = Declaration.hosting(Renamed.init(model:))
        #expect(await renamed.violations(olderModels: [#"{"value":3}"#, .init(#"{"count":3}"#, version: 2)]) == [])
    }

    @Test("every kind of violation, by some broken view model of this table")
    func complete() {
        // The others have tests of their own.
        #expect(Set(Self.cases.map(\.rule) + [.unfinished, .returning]) == Set(Violation.Rule.allCases))
    }

    @Test("nothing in a view model without fault, whichever way it is walked", arguments: [1, 2, 3, 4] as [UInt64])
    func nothing(seed: UInt64) async {
        let sound = Declaration.hosting(Sound.init(model:))
        let samples = [SampleInput("add", json: #"{"word":"two"}"#), SampleInput("add", json: "no JSON")]
        let violations = await sound.violations(samples: samples, seed: seed)
        #expect(violations == [])
    }

    @Test("two view models of one name")
    func twins() async {
        let sound = Declaration.hosting(Sound.init(model:))
        let violations = await [sound, sound].violations()
        #expect(
            violations.map(\.description) == [
                "sound: No server serves it: two view models of the list have this name; give one another."
            ])
    }

    @Test("what the list alone has wrong: nothing in it, one refusal with two titles")
    func list() async {
        let empty = await [Declaration]().violations()
        #expect(
            empty.map(\.description) == [
                "No server starts: no view model is listed: there would be nothing to serve."
            ])
        #expect(empty.map(\.viewModel) == [nil])
        let shops = await [Declaration.hosting(Shop.init(model:)), .hosting(OtherShop.init(model:))].violations()
        #expect(
            shops.filter { $0.rule == .declaration }.map(\.description) == [
                "other-shop: No server serves it: declares the refusal \"lent\" of lend with another status or title than shop; "
                    + "make it one kind."
            ])
    }

    @Test("one fault once, and nothing that follows from it")
    func once() async {
        #expect(await Declaration.hosting(TwoFaced.init(model:)).violations().count == 2)
        let misled = await Declaration.hosting(Misled.init(model:)).violations()
        #expect(misled.count { $0.complaint.contains(" set ") } == 1, "\(misled)")
        #expect(misled.count { $0.complaint.contains("example of show") } == 1, "\(misled)")
        #expect(!misled.contains { $0.rule == .example }, "\(misled)")
        #expect(await Declaration.hosting(Sealed.init(model:)).violations().count == 1)
        let drifting = await Declaration.hosting(Drifting.init(model:)).violations()
        #expect(
            drifting.map(\.description) == [
                "drifting: The example of go cannot be encoded: its member x: Unable to encode Double.inf directly in JSON. "
                    + "After: drift.",
                "drifting: The example of jump has not the shape of its type, at #/size: it must be a whole number from 0 to 0. After: drift.",
            ])
    }

    @Test("the steps that led there, the first time alone")
    func steps() async throws {
        let violations = await Declaration.hosting(Greedy.init(model:)).violations()
        #expect(
            violations.map(\.description) == [
                "greedy: take threw and had changed something before. After: take, take, take."
            ])
    }

    @Test("no action guilty of what the view model lost before, when it was made anew behind another that threw")
    func remade() async {
        let violations = await Declaration.hosting(Lossy.init(model:)).violations()
        #expect(
            violations.map(\.description) == [
                "lossy: The output shown is not the same once the view model is made anew from its model. After: show."
            ])
    }

    @Test("the same each time it is asked")
    func repeatable() async {
        let forgetful = Declaration.hosting(Forgetful.init(model:))
        #expect(await forgetful.violations(seed: 7) == forgetful.violations(seed: 7))
    }

    /// Cancels whoever asks, and then waits.
    final class Sleeper: ViewModel {
        struct Model: StoredModel { var naps = 0 }

        static let interface = Interface<Sleeper>("sleeper") {
            Output("naps", \.naps)
            Action("nap", Sleeper.nap)
        }

        func nap() async throws {
            model.naps += 1
            guard model.naps > 3 else { return }
            withUnsafeCurrentTask { $0?.cancel() }
            try await Task.sleep(for: .seconds(1000))
        }

        var naps: Int { model.naps }
        private(set) var model: Model
        init(model: Model) { self.model = model }
    }

    @Test("that it was cancelled, and in which step; no fault of the view model's")
    func cancelled() async {
        let found = await Task { await Declaration.hosting(Sleeper.init(model:)).violations() }.value
        #expect(
            found.map(\.description) == [
                "sleeper: The check was cancelled, as by a time limit, in nap, step 4: ask for fewer steps."
            ])
    }

    @Test("nothing in dice, where it is told not to expect the same twice")
    func dice() async {
        let dice = Declaration.hosting(Dice.init(model:))
        let violations = await dice.violations(isRepeatable: false)
        #expect(violations == [])
        #expect(await dice.violations().map(\.rule) == [.rebuild])
    }
}
