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
        let partly = all.first { list in
            guard list.read > 0, list.read < list.count else { return false }
            return !all.contains { $0.read > list.read && $0.count == list.count && $0.path == list.path }
        }
        return partly.map { $0.path + [String($0.read)] }
    }
}
