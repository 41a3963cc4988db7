import Foundation
import ViewModels

/// One instance of a view model, and what its host hears of it.
struct Life {
    let hosted: any HostedViewModel
    let changes = ChangeQueue()
    private let recorder: PostRecorder
    // Variables hold the centers they post on weakly.
    private let center = NotificationCenter()

    /// - Throws: `DecodingError` where the model cannot be read back.
    init(of declaration: Declaration, in language: Language, from model: [UInt8]? = nil) throws {
        recorder = PostRecorder(center)
        let context = ViewModelContext(language: language, center: center) { [changes] _, body in
            try await changes.submit(body)
        }
        hosted = try declaration.make(in: context, from: model)
        _ = recorder.drain()
    }

    /// What can be seen of it now; nil for what cannot be encoded.
    func look(outputs: Range<Int>) -> Sight {
        Sight(outputs: outputs.map { try? hosted.encodedOutput(at: $0) }, model: try? hosted.encodedModel())
    }

    /// Whether each output was posted since the last call; nil for one that posts nothing.
    func posts() -> [Bool?] {
        let posters = recorder.drain()
        return hosted.sources.map { $0.map(posters.contains) }
    }
}

/// What can be seen of a view model at one moment.
struct Sight: Equatable {
    let outputs: [[UInt8]?]
    let model: [UInt8]?
}
