/// How far the lists of a body were read: what is behind that was sent in vain.
final class OpenedLists {
    final class List {
        fileprivate let place: CodingPlace?
        fileprivate let count: Int
        fileprivate var read = 0

        fileprivate init(place: CodingPlace?, count: Int) { (self.place, self.count) = (place, count) }

        /// So many elements were read by now.
        func note(_ read: Int) { self.read = max(self.read, read) }

        fileprivate var path: [String] { CodingPlace.path(to: nil, in: place).map(\.name) }
    }

    private var all: [List] = []

    /// A list is read from its first element on.
    func open(_ count: Int, at place: CodingPlace?) -> List {
        let list = List(place: place, count: count)
        all.append(list)
        return list
    }

    /// The first element that nobody read, of a list of which others were read, by whichever type was tried.
    var unread: [String]? {
        let partly = all.filter { $0.read > 0 && $0.read < $0.count }
        guard !partly.isEmpty else { return nil }
        let furthest = Dictionary(all.lazy.map { ($0.path, $0.read) }, uniquingKeysWith: max)
        return partly.lazy.map { ($0.path, $0.read) }.first { furthest[$0] == $1 }.map { $0 + [String($1)] }
    }
}
