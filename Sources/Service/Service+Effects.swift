import Entities
import Events
import Foundation
import ViewModels

/// The input of an effect that acts on a named entity.
struct ActInput: Codable {
    /// The path without the first slash, such as `desks/main`.
    let entity: String
    let action: String
    /// The JSON body; empty for none.
    let body: String

    /// The form that the effect stores.
    var json: [UInt8] { (try? JSONEncoder().encode(self)).map { Array($0) } ?? [] }
}

/// Why the action of an effect failed.
struct ActFailure: Error, CustomStringConvertible {
    let description: String
    /// Whether a retry would fail, too.
    let isFinal: Bool

    init(_ description: String, isFinal: Bool = true) { (self.description, self.isFinal) = (description, isFinal) }

    /// Nil if the entity has done the action.
    init?(_ outcome: Outcome) {
        switch outcome {
        case .done: return nil
        case .replayed(let remembered):
            if remembered.status == 200 { return nil }
            self.init(String(decoding: remembered.body, as: UTF8.self))
        // The next build may be able to read the model.
        case .failed(.action(let error)) where !(error is ModelUnreadable), .refused(.action(let error), _):
            self.init("\(error)")
        case .refused(let reason, _): self.init("\(reason)")
        case .failed(let reason): self.init("\(reason)", isFinal: false)
        case .unavailable(let reason): self.init("\(reason)", isFinal: reason == .missing)
        }
    }
}

extension Service {
    /// How long the entity keeps the outcome of an effect's action.
    static let actWindow = Duration.seconds(24 * 60 * 60)

    /// Does the action of an effect on another entity, once: the effect's id is the idempotency key.
    func act(_ effect: StoredEffect, of source: EntityID) async throws {
        let input = try JSONDecoder().decode(ActInput.self, from: Data(effect.input.utf8))
        guard let (viewModel, key, action) = catalogue.action(input.action, on: input.entity) else {
            throw ActFailure("this build has no action \(input.action) on \(input.entity)", isFinal: false)
        }
        let call = Call(
            part: viewModel.name, isSlow: action.isAsync || action.isBlocking, isMaking: action.isMaking,
            body: ActionRequest(
                action.name, body: Array(input.body.utf8), sessionID: source.text, key: key, isOwn: true))
        let askKey = AskKey(
            digest: KeyDigest(effect: effect.id),
            request: SHA256.digest(of: Array(effect.input.utf8)), window: Self.actWindow
        ) { outcome in
            guard let failure = ActFailure(outcome) else { return Remembered(status: 200, body: []) }
            return failure.isFinal ? Remembered(status: 409, body: Array(failure.description.utf8)) : nil
        }
        let outcome = await withCheckedContinuation { (done: CheckedContinuation<Outcome, Never>) in
            registry.find(EntityID(kind: viewModel.name, text: input.entity), isMaking: action.isMaking) { found in
                switch found {
                case .success(let entity):
                    entity.ask(Ask(.action(call), key: askKey) { done.resume(returning: $0) })
                case .failure(let reason): done.resume(returning: .unavailable(reason))
                }
            }
        }
        if let failure = ActFailure(outcome) { throw failure }
    }
}

extension Events.Event {
    /// The event of an effect that failed or that this build does not know.
    init(_ report: EffectReport) {
        let (effect, entity) = (report.effect, report.entity)
        let (kind, reason): (Kind, String) =
            switch report.kind {
            case .failed(let error, let isLast): (isLast ? .effectFailed : .effectRetried, "\(error)")
            case .unknown: (.effectUnknown, "this build does not know the effect, or cannot read its view model")
            }
        self.init(
            kind,
            [
                "entity": .text(entity.isNamed ? entity.text : entity.kind),
                "effect": .text("\(effect.part).\(effect.name)"), "id": .text(effect.id),
                "attempt": .number(effect.attempts), "reason": .text(reason),
            ])
    }
}
