/// What a caller may see of a named entity: all outputs, or those of a facet.
package struct Sight: Hashable, Sendable {
    /// The facet; nil for all outputs.
    package let facet: String?

    /// All outputs.
    package static let all = Sight(facet: nil)

    /// Limits the sight to a facet.
    package init(facet: String?) { self.facet = facet }

    /// A stamp as a caller is shown it, or the other way round.
    ///
    /// Under another sight, the shown stamp is no cursor. So a caller that may see more, or less, gets a snapshot.
    package func mix(_ stamp: Stamp) -> Stamp {
        guard let facet else { return stamp }
        var hash = StableHash()
        hash.add(Array(facet.utf8))
        return stamp.mixed(with: hash.value)
    }
}
