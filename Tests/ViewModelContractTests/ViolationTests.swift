import Samples
import Testing
import ViewModelContract
import ViewModels

/// Protects hosts: the suite finds each fault of a view model, and no other.
@Suite("The contract suite")
struct ViolationTests {
    static let faults: [(viewModel: Declaration, sentences: [String])] = [
        (
            .hosting(Infinite.self),
            [
                "infinite: eat fails, so the server answers 500: a number that is not finite has no JSON form. If the "
                    + "caller can do something about it, throw a Refusal. After: eat."
            ]
        ),
        (
            .hosting(Overfull.self),
            [
                "overfull: The output level does not fit its schema: The member that the pointer names must be a whole number "
                    + "from 0 to 255 (#/value). After: fill."
            ]
        ),
        (
            .hosting(Forgetful.self),
            [
                "forgetful: The output isOpen differs after the view model is stored and read back: it depends on "
                    + "something that is not stored. After: open."
            ]
        ),
        (
            .hosting(Restless.self),
            ["restless: The stored form differs after it is read back. Keep lists in a fixed order."]
        ),
        (
            .hosting(Brittle.self),
            [
                "brittle: Its stored form cannot be read back: brittle: it is missing or has another type (stored by "
                    + "version 1). After: break."
            ]
        ),
        (
            .hosting(Picky.self), ["picky: set refuses its own example: A count is not negative. After: set -1."]
        ),
        (
            .hosting(Undeclaring.self),
            [
                "undeclaring: wait throws the refusal action-disabled but does not declare it. Add .refusing(…), so that "
                    + "its description lists it. After: wait.",
                "undeclaring: buy throws the refusal sold-out but does not declare it. Add .refusing(…), so that its "
                    + "description lists it. After: wait, buy.",
                "undeclaring: print fails, so the server answers 500: PrinterFault(). If the caller can do something about "
                    + "it, throw a Refusal. After: wait, buy, print.",
            ]
        ),
        (
            .hosting(Ringing.self),
            [
                "ringing: The effect ring throws when it takes its result, so the result is lost: it acts on an "
                    + "entity that cannot exist or has no action ring. After: set, ring."
            ]
        ),
        (.hosting(Twofold.self), ["The server does not start: twofold: has two outputs called count."]),
    ]

    @Test("finds each fault and says it in one sentence", arguments: faults)
    func finds(viewModel: Declaration, sentences: [String]) async {
        #expect(await viewModel.violations().map(\.description) == sentences)
    }

    @Test("finds nothing in a view model without fault, in any language")
    func sound() async {
        #expect(await Declaration.hosting(Sound.self).violations(in: ["en", "ja"], steps: 500) == [])
    }

    @Test("finds nothing in the samples, alone and together")
    func samples() async {
        #expect(await Declaration.samples.violations(in: ["ja", "en"], steps: 500) == [])
        for sample in Declaration.samples { #expect(await sample.violations(in: ["ja", "en"]) == []) }
    }

    @Test("runs the reactions to an action, and names the action that led there")
    func reactions() async {
        let violations = await [Declaration.hosting(Alarming.self), .hosting(Alarmed.self)].violations(steps: 1)
        #expect(
            violations.map(\.description) == [
                "alarming: ring fails, so the server answers 500: a number that is not finite has no JSON form. If the "
                    + "caller can do something about it, throw a Refusal. After: alarming/ring."
            ])
    }

    @Test("makes up the largest numbers, on which arithmetic traps")
    func extremes() async {
        let violations = await Declaration.hosting(Adding.self).violations()
        #expect(violations.map(\.complaint).contains { $0.contains(": Overflow") })
    }

    static let models: [(version: Int, model: String, sentences: [String])] = [
        (1, #"{"taken":3,"called":1}"#, []),
        (2, #"{"issued":3,"called":1}"#, []),
        (2, #"{"called":1}"#, []),
        (
            2, #"{"taken":3,"called":1,"note":""}"#,
            [
                "renamed: The model of version 2 has note, taken, which this build does not read. If a member has a new "
                    + "name, increase the version and rename it in migrate(_:from:). If a member is gone, leave it out of "
                    + "the model in the test."
            ]
        ),
        (
            1, #"{"taken":"three"}"#,
            [
                "renamed: The model of version 1 cannot be read: renamed: the member issued is missing or has another type "
                    + "(stored by version 1)."
            ]
        ),
        (
            3, "{}",
            [
                "renamed: The model of version 3 cannot be read: renamed: a later version than 2 stored it (stored by version 3)."
            ]
        ),
    ]

    @Test("reads the models of earlier builds, and names what this build would lose", arguments: models)
    func older(version: Int, model: String, sentences: [String]) async {
        let violations = await Declaration.hosting(Renamed.self).violations(older: [version: model])
        #expect(violations.map(\.description) == sentences)
    }
}
