import Entities
import HTTP
import ViewModels

extension Service {
    /// The route of one action.
    func acting(
        _ action: ViewModelDescription.Action, of viewModel: ViewModelDescription, _ index: Int, at path: String
    ) -> Route {
        entityRoute(.post, path, of: viewModel, isChange: true, isMaking: action.isMaking) { [self] exchange in
            let request = exchange.request
            let (stamps, body) = try (EntityTags(.ifMatch, of: request)?.stamps, request.jsonBody())
            let key = try Self.key(of: request)
            let (responder, sightOf, entity) = try (exchange.responder, exchange.sightOf, exchange.entity)
            let isAllowed = action.roles.isEmpty || exchange.user?.roles.isDisjoint(with: action.roles) == false
            if !isAllowed, exchange.named == nil || action.isMaking { throw ProblemType.notAllowed.problem() }
            let askKey = key.map { self.key($0, of: exchange, at: path, body, index) }
            let call = Call(
                part: viewModel.name, isSlow: action.isAsync || action.isBlocking, isMaking: action.isMaking,
                body: ActionRequest(
                    action.name, body: body, sessionID: exchange.session.id.text,
                    user: exchange.named == nil ? nil : exchange.user, key: entity.id.key))
            // If the client disconnects, its action still runs.
            @Sendable func act(_ sight: Sight) {
                entity.ask(
                    Ask(.action(call), key: askKey, match: stamps?.map(sight.mix)) { outcome in
                        responder.answering { responder.send(try Self.response(to: outcome, of: index, sightOf)) }
                    })
            }
            guard exchange.named != nil, !isAllowed || stamps != nil else { return act(.all) }
            // First check the caller's sight: a 403 or a 412 would show that the entity exists.
            entity.view { outcome in
                responder.answering {
                    let sight = try sightOf(Self.state(outcome))
                    guard isAllowed else { throw ProblemType.notAllowed.problem() }
                    act(sight)
                }
            }
        }
    }

    /// The answer to an action.
    private static func response(to outcome: Outcome, of index: Int, _ sightOf: SightOf) throws -> Response {
        switch outcome {
        case .replayed(let remembered): return Response(replaying: remembered)
        case .done(let state):
            // After the action, the caller may no longer see the entity.
            guard let sight = try? sightOf(state) else { return .json("{}".utf8) }
            let tag = Header("ETag", sight.mix(state.stamp(of: index)).entityTag)
            return Response(
                headers: [.json, .noStore, tag],
                body: .bytes(try state.body(of: index, facet: sight.facet)))
        default: throw Problem(outcome, of: index, sightOf)
        }
    }

    // MARK: Idempotency-Key

    /// The `Idempotency-Key` of a request (draft-ietf-httpapi-idempotency-key-header); nil if it is absent.
    ///
    /// - Throws: ``Problem``, 400, if the key is not 1 to 255 visible characters, with or without double quotes.
    private static func key(of request: Request) throws(Problem) -> [UInt8]? {
        guard let field = try request.single(.idempotencyKey) else { return nil }
        let quote = UInt8(ascii: "\"")
        var key = field.utf8[...]
        let isQuoted = key.count >= 2 && key.first == quote && key.last == quote
        if isQuoted { key = key.dropFirst().dropLast() }
        // Without quotes, a comma may come from two joined fields.
        let isVisible = key.allSatisfy {
            (0x21...0x7E).contains($0) && $0 != quote && (isQuoted || $0 != UInt8(ascii: ","))
        }
        guard isVisible, (1...255).contains(key.count) else {
            throw ProblemType.malformedHeader.problem(
                "An Idempotency-Key has 1 to 255 visible ASCII characters, and no double quote. Put it in double "
                    + "quotes if it has a comma. Use a new UUID, for example.")
        }
        return Array(key)
    }

    /// The key, the hash of its request, and the answer to keep.
    private func key(
        _ key: [UInt8], of exchange: Exchange, at path: String, _ body: [UInt8], _ index: Int
    ) -> AskKey {
        let isPublic = exchange.token == nil
        let secret = Array((exchange.token?.secret ?? "").utf8) + key
        let (sightOf, id) = (exchange.sightOf, exchange.request.id)
        return AskKey(
            digest: KeyDigest(key: key, of: exchange.named == nil ? nil : exchange.session.id.text),
            request: SHA256.authenticationCode(of: Array("\(path)\n".utf8) + body, key: secret),
            window: isPublic ? min(limits.idempotencyWindow, .seconds(600)) : limits.idempotencyWindow
        ) { Self.remembered($0, of: index, sightOf, requestID: id) }
    }

    /// The answer that the store keeps; nil if a repeat may have another outcome.
    private static func remembered(
        _ outcome: Outcome, of index: Int, _ sightOf: @escaping SightOf, requestID: String
    ) -> Remembered? {
        let isRemembered =
            switch outcome {
            // The action did not run. The next build may be able to read the model.
            case .failed(.action(is ModelUnreadable)): false
            case .done, .failed, .refused(.action(is Refusal), _): true
            case .refused, .replayed, .unavailable: false
            }
        guard isRemembered else { return nil }
        do { return Remembered(try response(to: outcome, of: index, sightOf)) } catch {
            return Remembered(Problem(error).response(instance: requestID))
        }
    }
}

extension Remembered {
    fileprivate init(_ response: Response) {
        let bytes = if case .bytes(let bytes) = response.body { bytes } else { [UInt8]() }
        let tag = response.headers.first { $0.name == "ETag" }?.value
        self.init(status: response.status, body: bytes, etag: tag.map { String($0.dropFirst().dropLast()) })
    }
}

extension Response {
    /// Repeats a stored answer.
    fileprivate init(replaying remembered: Remembered) {
        let type = remembered.status < 400 ? .json : Header("Content-Type", "application/problem+json")
        self.init(
            status: remembered.status,
            headers: [type, .noStore, Header("Idempotency-Replayed", "true")]
                + (remembered.etag.map { [Header("ETag", "\"\($0)\"")] } ?? []),
            body: .bytes(remembered.body))
    }
}
