import Binding
import ViewModels

/// One instance of a view model, and what its host hears of it.
struct Life {
    let hosted: any HostedViewModel
    let changes = ChangeQueue()
    private let recorder = ChangeRecorder()

    /// - Throws: `ModelUnreadable` where the model cannot be read back.
    init(
        of declaration: Declaration, in language: Language, from model: [UInt8]? = nil, storedBy version: Int? = nil
    ) throws {
        let context = ViewModelContext(language: language) { [changes] _, body in
            try await changes.submit(body)
        }
        hosted = try declaration.make(in: context, from: model, storedBy: version)
        for case let variable? in hosted.variables { recorder.follow(variable) }
    }

    /// What can be seen of it now; nil for what cannot be encoded.
    func look(outputs: Range<Int>) -> Sight {
        Sight(outputs: outputs.map { try? hosted.encodedOutput(at: $0) }, model: try? hosted.encodedModel())
    }

    /// Whether each output's variable was set since the last call, which posts it; nil for one that has none.
    func posts() -> [Bool?] {
        let setters = Set(recorder.drain())
        return hosted.variables.map { $0.map { setters.contains($0.id) } }
    }
}

/// What can be seen of a view model at one moment.
struct Sight: Equatable {
    let outputs: [[UInt8]?]
    let model: [UInt8]?
}
