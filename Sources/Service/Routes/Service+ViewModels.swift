import Entities
import HTTP
import Locking
import ViewModels

extension Service {
    /// The routes of one view model: itself, its facets, its actions.
    func viewModelRoutes(at index: Int) -> [Route] {
        let viewModel = catalogue.viewModels[index]
        let path = "/\(viewModel.name)"
        return [showing(index, facet: nil, at: path)]
            + viewModel.facets.map { showing(index, facet: $0.name, at: "\(path)/\($0.name)") }
            + viewModel.actions.map { acting($0, of: index, at: "\(path)/\($0.name)") }
    }

    private func showing(_ index: Int, facet: String?, at path: String) -> Route {
        // A stamp stands for the outputs, also those of other sessions: 64 random bits.
        let bodies = Renditions<Stamp>(64)
        return sessionRoute(.get, path) { [self] exchange in
            let request = exchange.request
            let (match, noneMatch) = try (EntityTags(.ifMatch, of: request), EntityTags(.ifNoneMatch, of: request))
            exchange.entity.view { [self] outcome in
                answering(request, exchange.responder) {
                    let state = try Self.state(outcome)
                    let stamp = state.stamp(of: index)
                    if let match, let stamps = match.stamps, !stamps.contains(stamp) {
                        throw Problem.preconditionFailed(hasWeakTag: match.hasWeakTag)
                    }
                    if let noneMatch, noneMatch.matchWeakly("\(stamp)") {
                        let headers = [Header.noStore, Header(.eTag, "\"\(stamp)\"")]
                        return exchange.responder.send(Response(status: 304, headers: headers))
                    }
                    let body = try bodies.body(stamp) {
                        let json = try state.readableBody(of: index, facet: facet)
                        return SharedBody(json, headers: [.json, .noStore, Header(.eTag, "\"\(stamp)\"")])
                    }
                    exchange.responder.send(Response(body: .shared(body)))
                }
            }
        }
    }

    /// The committed state of an outcome that is done.
    ///
    /// - Throws: ``Problem``.
    static func state(_ outcome: Outcome) throws(Problem) -> EntityState {
        if case .done(let state) = outcome { return state }
        throw Problem(outcome) ?? .internalError
    }

    // MARK: Actions

    private func acting(_ action: ViewModelDescription.Action, of index: Int, at path: String) -> Route {
        let viewModel = catalogue.viewModels[index].name
        let pace: Call.Pace = action.isAsync ? .async : action.isBlocking ? .blocking : .inline
        return sessionRoute(.post, path, isChange: true) { [self] exchange in
            let match = try EntityTags(.ifMatch, of: exchange.request)
            let body = try exchange.request.jsonBody()
            let hasWeakTag = match?.hasWeakTag ?? false
            let key = try key(of: exchange, at: path, body) { outcome, id in
                Self.remembered(outcome, of: index, requestID: id)
            }
            let input = CatalogueHost.Input(action: action.name, body: body, sessionID: exchange.entity.id.text)
            let call = Call(part: viewModel, pace: pace, body: input)
            // A client that leaves does not stop its action.
            exchange.entity.ask(
                Ask(.action(call), key: key, match: match?.stamps) { [self] outcome in
                    answering(exchange.request, exchange.responder) {
                        if let problem = Problem(outcome, of: index, hasWeakTag: hasWeakTag) { throw problem }
                        exchange.responder.send(try Self.response(to: outcome, of: index))
                    }
                })
        }
    }

    /// The answer to an action that is done, now or before.
    private static func response(to outcome: Outcome, of index: Int) throws(Problem) -> Response {
        if case .replayed(let remembered) = outcome { return Response(replaying: remembered) }
        let state = try state(outcome)
        let tag = Header(.eTag, "\"\(state.stamp(of: index))\"")
        return Response(
            headers: [.json, .noStore, tag], body: .bytes(try state.readableBody(of: index, facet: nil)))
    }
}

extension EntityState {
    /// The outputs of a view model as JSON.
    ///
    /// - Throws: ``Problem``, 500, where this build cannot read it.
    func readableBody(of index: Int, facet: String?) throws(Problem) -> [UInt8] {
        do { return try body(of: index, facet: facet) } catch {
            throw Problem(.failed(.action(error))) ?? .internalError
        }
    }
}

/// Bodies that were sent last, so that equal answers share one: a cache with one place for each hash.
final class Renditions<Key: Hashable & Sendable>: Sendable {
    private let places: Lock<[(key: Key, body: SharedBody)?]>
    private let count: UInt

    /// Makes an empty cache; with one place it does not hash.
    init(_ count: Int) {
        places = Lock(Array(repeating: nil, count: count))
        self.count = UInt(count)
    }

    /// The body for a key, which stands for the bytes of the body.
    func body(_ key: Key, _ make: () throws -> SharedBody) rethrows -> SharedBody {
        let place = count == 1 ? 0 : Int(UInt(bitPattern: key.hashValue) % count)
        if let known = places.withLock({ $0[place] }), known.key == key { return known.body }
        let body = try make()
        places.withLock { $0[place] = (key, body) }
        return body
    }
}
