import ViewModels

/// Names of which no two are one to a generator of code: to one that makes them its language's own, only letters and digits count, and
/// perhaps not their case.
struct UniqueNames {
    private var known: Set<String> = []

    /// The name, with a number behind it where one before it was the same.
    mutating func name(_ name: String) -> String {
        var (own, count) = (name, 1)
        while !known.insert(own.lowercased().filter { $0.isLetter || $0.isNumber }).inserted {
            count += 1
            own = "\(name)\(count)"
        }
        return own
    }
}

/// What view models and their facets are called in the description: as they are, and counted where something is called so before.
struct ComponentNames {
    private var components: [String: String] = [:]
    private var tags: [Name: String] = [:]

    /// Names nothing.
    init() {}

    /// Names the view models first, then the facets.
    ///
    /// - Parameters:
    ///   - schemas: the components that are called as they are.
    ///   - ownTags: the tags that are.
    init(of catalogue: Catalogue, beside schemas: [String], tags ownTags: [String]) {
        var (unique, uniqueTags) = (UniqueNames(), UniqueNames())
        for schema in schemas { _ = unique.name(schema) }
        for tag in ownTags { _ = uniqueTags.name(tag) }
        for name in catalogue.viewModels.map(\.name) {
            components[Self.key(name)] = unique.name(name.rawValue)
            tags[name] = uniqueTags.name(name.rawValue)
        }
        for viewModel in catalogue.viewModels {
            for facet in viewModel.facets.map(\.name) {
                let key = Self.key(viewModel.name, facet)
                components[key] = unique.name(key)
            }
        }
    }

    /// The component that stands for what a view model shows, or one of its facets.
    func component(of viewModel: Name, _ facet: Name? = nil) -> String {
        let key = Self.key(viewModel, facet)
        return components[key] ?? key
    }

    /// What the operations of a view model stand under.
    func tag(of viewModel: Name) -> String { tags[viewModel] ?? viewModel.rawValue }

    /// Names have no dots.
    private static func key(_ viewModel: Name, _ facet: Name? = nil) -> String {
        facet.map { "\(viewModel).\($0)" } ?? viewModel.rawValue
    }
}
