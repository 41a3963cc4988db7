import HTTP
import Locking
import Sessions

/// The event streams that are open, counted by whose they are.
final class StreamPlaces: Sendable {
    /// Who holds a stream.
    enum Holder: Hashable, Sendable {
        /// Whoever has the session's token.
        case session(SessionID)
        /// In the public session, which everybody shares: a client's network, so that one client leaves room for others.
        case network(IPAddress)
    }

    /// An open stream's place; free again as soon as nobody holds it any more.
    final class Place: Sendable {
        private let places: StreamPlaces
        private let holder: Holder

        fileprivate init(in places: StreamPlaces, for holder: Holder) {
            self.places = places
            self.holder = holder
        }

        deinit { places.free(holder) }
    }

    private let counts = Lock<[Holder: Int]>([:])
    private let limit: Int

    /// Gives each holder so many places.
    init(limit: Int) { self.limit = limit }

    /// Takes a place; nil where all of the holder's are taken.
    func take(for holder: Holder) -> Place? {
        let isFree = counts.withLock { counts in
            guard counts[holder, default: 0] < limit else { return false }
            counts[holder, default: 0] += 1
            return true
        }
        return isFree ? Place(in: self, for: holder) : nil
    }

    /// How many places are taken.
    var open: Int { counts.withLock { $0.values.reduce(0, +) } }

    private func free(_ holder: Holder) {
        counts.withLock { counts in
            let rest = counts[holder, default: 0] - 1
            counts[holder] = rest > 0 ? rest : nil
        }
    }
}
