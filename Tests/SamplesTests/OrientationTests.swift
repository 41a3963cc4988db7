import Binding
import Foundation
import Observation
import Samples
import TestSupport
import Testing
import ViewModels

@Suite("orientation")
struct OrientationTests {
    static let table: [(Orientation, Bool)] = [
        (.portrait, false), (.portraitUpsideDown, false), (.landscapeLeft, true), (.landscapeRight, true),
        (.faceUp, false), (.faceDown, false), (.unknown, false),
    ]

    @Test("has a line in the table for each orientation")
    func complete() { #expect(Set(Self.table.map(\.0)) == Set(Orientation.allCases)) }

    @Test(
        "told through inputs and read from outputs, it lies on its side in the landscape ones alone", arguments: table)
    func inputsAndOutputs(orientation: Orientation, isLandscape: Bool) {
        let viewModel: any OrientationViewModelType = OrientationViewModel()
        viewModel.inputs.change(OrientationChange(orientation))
        #expect(viewModel.outputs.isLandscape.value == isLandscape)
    }

    @Test("the observed class says the same", arguments: table)
    func observed(orientation: Orientation, isLandscape: Bool) {
        let viewModel = ObservedOrientationViewModel()
        viewModel.change(OrientationChange(orientation))
        #expect(viewModel.isLandscape == isLandscape)
    }

    @Test("both take the words of the wire", arguments: table, ["orientation", "orientation-observed"])
    func wire(row: (orientation: Orientation, isLandscape: Bool), name: String) async throws {
        let viewModel = try HostedBench(.samples, name)
        #expect(try viewModel.output("isLandscape") == false)
        try await viewModel.perform("change", #"{"orientation":"\#(row.orientation.rawValue)"}"#)
        #expect(try viewModel.output("isLandscape") == .boolean(row.isLandscape))
    }

    @Test("an orientation that there is not is of the wrong shape", arguments: ["orientation", "orientation-observed"])
    func sideways(name: String) async throws {
        let viewModel = try HostedBench(.samples, name)
        let refusal = await #expect(throws: ActionRefusal.self) {
            try await viewModel.perform("change", #"{"orientation":"sideways"}"#)
        }
        #expect(refusal?.kind == .wrongShape)
        #expect(refusal?.pointer == "#/orientation")
    }

    @Test("turned round and back: the output is told when it changes, and not when it does not")
    func history() {
        let viewModel: any OrientationViewModelType = OrientationViewModel()
        let center = NotificationCenter()
        let isLandscape = History<Bool>()
        center.observe(viewModel.outputs.isLandscape) { isLandscape.note($0) }
        for orientation in [.portrait, .landscapeLeft, .landscapeRight, .faceUp, .portrait] as [Orientation] {
            viewModel.inputs.change(OrientationChange(orientation))
        }
        #expect(isLandscape.elements == [false, true, false])
    }

    @Test("a view observes the class's property directly, through the Observation framework")
    func tracking() {
        let viewModel = ObservedOrientationViewModel()
        let told = History<String>()
        func track() -> Bool {
            withObservationTracking {
                viewModel.isLandscape
            } onChange: {
                told.note("will change")
            }
        }
        #expect(!track())
        viewModel.change(OrientationChange(.landscapeLeft))
        #expect(told.elements == ["will change"])
        #expect(track())
    }
}
