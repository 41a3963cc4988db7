import Foundation
import ViewModels

/// The live view models of one session; they belong to whoever holds the session's turn.
///
/// What lives here may be ahead of what is committed. Whenever that must not be, it is thrown away and made again
/// from the committed models.
final class Stage {
    /// The place of an output: which view model, and which of its outputs.
    struct OutputPlace {
        let viewModel: Int
        let output: Int
    }

    private final class Cast {
        let context: ViewModelContext
        let recorder: Recorder
        var viewModels: [Int: any HostedViewModel] = [:]
        var outputs: [ObjectIdentifier: [OutputPlace]] = [:]

        init(language: Language) {
            context = ViewModelContext(language: language)
            recorder = Recorder(center: context.center)
        }
    }

    private let catalogue: Catalogue
    private let language: Language
    private var cast: Cast?

    init(catalogue: Catalogue, language: Language) {
        self.catalogue = catalogue
        self.language = language
    }

    /// The live view model at a place, made from its committed model, or from nothing, where it is not there yet.
    func viewModel(at place: Int, from model: [UInt8]?) throws -> any HostedViewModel {
        let cast = self.cast ?? Cast(language: language)
        self.cast = cast
        if let viewModel = cast.viewModels[place] { return viewModel }
        let viewModel = try catalogue.viewModels[place].make(in: cast.context, from: model)
        cast.viewModels[place] = viewModel
        for (index, source) in viewModel.sources.enumerated() {
            cast.outputs[source, default: []].append(OutputPlace(viewModel: place, output: index))
        }
        _ = cast.recorder.drain()
        return viewModel
    }

    /// The live view model at a place, if it was made.
    func liveViewModel(at place: Int) -> (any HostedViewModel)? { cast?.viewModels[place] }

    /// The outputs that were posted since the last call, all of those that share one source, some perhaps twice.
    func postedOutputs() -> [OutputPlace] {
        guard let cast else { return [] }
        return cast.recorder.drain().flatMap { cast.outputs[$0, default: []] }
    }

    /// Throws the live view models away.
    func clear() { cast = nil }
}
