import Binding
import Foundation
import Observation
import TestSupport
import Testing
import ViewModels

@testable import Samples

/// Protects the orientation's table, in both of its forms.
@Suite("orientation")
struct OrientationTests {
    static let table: [(Orientation, Bool)] = [
        (.portrait, false), (.portraitUpsideDown, false), (.landscapeLeft, true), (.landscapeRight, true),
        (.faceUp, false), (.faceDown, false), (.unknown, false),
    ]

    @Test("the landscape ones alone lie on the side", arguments: ["orientation", "orientation-observed"], table)
    func shows(name: String, row: (orientation: Orientation, isLandscape: Bool)) async throws {
        let viewModel = try Bench(name)
        #expect(try viewModel.shown() == #"{"isLandscape":false}"#)
        try await viewModel.run("change", #"{"orientation":"\#(row.orientation)"}"#)
        #expect(try viewModel.shown() == #"{"isLandscape":\#(row.isLandscape)}"#)
        #expect(try viewModel.stored == #"{"orientation":"\#(row.orientation)"}"#)
    }

    @Test("told through its inputs, its outputs change when the side changes, and not otherwise")
    func inputsAndOutputs() {
        let viewModel: any OrientationViewModelType = OrientationViewModel(model: .init(), context: .init())
        let (history, center, bag) = (History<Bool>(), NotificationCenter(), Bag())
        center.observe(viewModel.outputs.isLandscape) { history.append($0) }.disposed(by: bag)
        for orientation in [.portrait, .landscapeLeft, .landscapeRight, .faceUp, .portrait] as [Orientation] {
            viewModel.inputs.change(DeviceState(orientation: orientation))
        }
        #expect(history.all == [false, true, false])
    }

    @Test("a view observes the class's property directly, through the Observation framework")
    func tracking() {
        let viewModel = ObservedOrientation(model: .init(), context: .init())
        let told = Variable(0)
        func track() -> Bool {
            withObservationTracking {
                viewModel.isLandscape
            } onChange: {
                told.value += 1
            }
        }
        #expect(!track())
        viewModel.model.orientation = .landscapeLeft
        #expect(told.value == 1)
        #expect(track())
    }
}
