import Sessions
import ViewModels

extension Judge {
    func describe(_ op: Op) -> String {
        switch op.ask {
        case .begin: "begin a session"
        case .act(let act): describe(act, BuildFacts.all[op.replica.build].viewModels[act.viewModel].declaration)
        case .view(let place): "GET \(BuildFacts.all[op.replica.build].viewModels[place].name)"
        case .views: "GET all"
        case .poll(let mirror, let wait): "poll since \(describe(mirror.cursor)) for \(wait) ms"
        case .listen(let mirror, let wait): "listen since \(describe(mirror.cursor)) for \(wait) ms"
        case .language(let language): "PATCH the language to \(language)"
        case .end: "end it"
        case .tidy: "end the expired and evicted the idle"
        case .endExpired: "end the expired"
        case .touch: "touch the used"
        }
    }

    private func describe(_ act: ActionAsk, _ declaration: Declaration) -> String {
        "POST \(declaration.name)/\(declaration.actions[act.action].name)"
            + (act.order.map { " \($0.id)" + ($0.milliseconds > 0 ? " of \($0.milliseconds)" : "") } ?? "")
            + (act.key.map { " key \($0)" } ?? "")
            + (act.condition.map { " if \(world.names.of(tag: $0.tag))" } ?? "")
    }

    private func describe(_ cursor: Cursor?) -> String { cursor.map { world.describe($0) } ?? "nothing" }

    func describe(_ result: Result<Answer, any Error>) -> String {
        switch result {
        case .success(.began(let token)): "\(world.disk[token.sessionID]?.name ?? "nothing") begins"
        case .success(.view(let view)): describe(view)
        case .success(.views(let cursor, let language, let views)):
            "\(world.describe(cursor)) in \(language) "
                + views.map { String(decoding: $0.json, as: UTF8.self) }.joined(separator: " ")
        case .success(.feed(let answer)):
            "\(kind(answer)) at \(world.describe(answer.cursor)) "
                + FeedText.changes(in: answer.json).map {
                    name($0.output) + "=" + String(decoding: $0.value, as: UTF8.self)
                }
                .joined(separator: " ")
        case .success(.performed(.done(let view))): "200 \(describe(view))"
        case .success(.performed(.remembered(let outcome, let isReplay))):
            "\(outcome.status) \(isReplay ? "again " : "")\(world.names.of(tag: outcome.entityTag)) "
                + String(decoding: outcome.body, as: UTF8.self)
        case .success(.done): "done"
        case .failure(SessionFailure.refused(_, let view)): "409 \(view.map(describe) ?? "")"
        case .failure(let error): "\(error)"
        }
    }

    private func kind(_ answer: FeedAnswer) -> String {
        switch answer.kind {
        case .delta: "delta"
        case .snapshot(let reason): "snapshot (\(reason))"
        // After how long to come back is drawn at random, and nobody here heeds it.
        case .idle(.draining): "idle (draining)"
        case .idle(let reason): "idle (\(reason))"
        }
    }

    private func name(_ output: Int) -> String {
        let viewModel = BuildFacts.all[2].viewModels[output / BuildFacts.mostOutputs]
        return viewModel.outputs[output % BuildFacts.mostOutputs]
    }

    private func describe(_ view: View) -> String {
        "\(world.names.of(tag: view.entityTag)) \(String(decoding: view.json, as: UTF8.self))"
    }
}
