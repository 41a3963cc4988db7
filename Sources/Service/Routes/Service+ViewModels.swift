import Entities
import HTTP
import Locking
import ViewModels

extension Service {
    /// The routes of a view model, its facets and its actions.
    ///
    /// - Parameter index: the index of the view model in its entity.
    func routes(of viewModel: ViewModelDescription, at index: Int) -> [Route] {
        let path = viewModel.path
        return [showing(viewModel, index, facet: nil, at: path)]
            + viewModel.facets.map { showing(viewModel, index, facet: $0.name, at: "\(path)/\($0.name)") }
            + viewModel.actions.map { acting($0, of: viewModel, index, at: "\(path)/\($0.name)") }
    }

    private func showing(
        _ viewModel: ViewModelDescription, _ index: Int, facet: String?, at path: String
    ) -> Route {
        // The 64 random bits of a stamp identify the outputs across all sessions.
        let bodies = Renditions<Stamp>(64)
        return entityRoute(.get, path, of: viewModel) { exchange in
            let match = try EntityTags(.ifMatch, of: exchange.request)
            let noneMatch = try EntityTags(.ifNoneMatch, of: exchange.request)
            let (responder, sightOf) = (exchange.responder, exchange.sightOf)
            try exchange.entity.view { outcome in
                responder.answering {
                    let state = try Self.state(outcome)
                    let sight = try sightOf(state)
                    if let facet, let only = sight.facet, facet != only { throw ProblemType.notAllowed.problem() }
                    let stamp = sight.mix(state.stamp(of: index))
                    if let match, let stamps = match.stamps, !stamps.contains(stamp) {
                        throw ProblemType.preconditionFailed.problem()
                    }
                    if let noneMatch, noneMatch.matchWeakly("\(stamp)") {
                        let headers = [Header.noStore, Header("ETag", stamp.entityTag)]
                        return responder.send(Response(status: 304, headers: headers))
                    }
                    let body = try bodies.body(stamp) {
                        let json = try state.body(of: index, facet: facet ?? sight.facet)
                        return SharedBody(json, headers: [.json, .noStore, Header("ETag", stamp.entityTag)])
                    }
                    responder.send(Response(body: .shared(body)))
                }
            }
        }
    }
}

/// A cache of the last bodies, so that equal answers share one; each hash has one place.
final class Renditions<Key: Hashable & Sendable>: Sendable {
    private let places: Lock<[(key: Key, body: SharedBody)?]>
    private let count: UInt

    /// Makes an empty cache; with one place it does not hash.
    init(_ count: Int) {
        places = Lock(Array(repeating: nil, count: count))
        self.count = UInt(count)
    }

    /// The cached or made body for a key; equal keys must mean equal bodies.
    func body(_ key: Key, _ make: () throws -> SharedBody) rethrows -> SharedBody {
        let place = count == 1 ? 0 : Int(UInt(bitPattern: key.hashValue) % count)
        if let known = places.withLock({ $0[place] }), known.key == key { return known.body }
        let body = try make()
        places.withLock { $0[place] = (key, body) }
        return body
    }
}
