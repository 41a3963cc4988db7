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

/// What types that contain themselves, view models and their facets are called in the description: as they are, and counted where
/// something is called so before.
struct ComponentNames {
    /// A component that stands for a type that contains itself.
    struct OfType {
        let name: String
        let component: String
        let schema: JSONSchema
        /// Whether it is that of a body, where no other members are taken.
        let isClosed: Bool
    }

    /// The types that contain themselves, whichever view models have them, each once: two types of one name are two.
    private(set) var types: [OfType] = []
    private var components: [String: String] = [:]
    private var tags: [Name: String] = [:]

    /// Names nothing.
    init() {}

    /// Names the types first, then the view models, then the facets.
    ///
    /// - Parameters:
    ///   - schemas: the components that are called as they are.
    ///   - ownTags: the tags that are.
    init(of catalogue: Catalogue, beside schemas: [String], tags ownTags: [String]) {
        var (unique, uniqueTags) = (UniqueNames(), UniqueNames())
        for schema in schemas { _ = unique.name(schema) }
        for tag in ownTags { _ = uniqueTags.name(tag) }
        for viewModel in catalogue.viewModels {
            for output in viewModel.outputs { nameTypes(in: output.schema, isClosed: false, &unique) }
            for case let input? in viewModel.actions.map(\.input) {
                nameTypes(in: input.schema, isClosed: true, &unique)
            }
        }
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

    private mutating func nameTypes(in schema: JSONSchema, isClosed: Bool, _ unique: inout UniqueNames) {
        for (name, schema) in schema.definitions where type(schema, name, isClosed: isClosed) == nil {
            let component = unique.name(Self.key(ofType: name, isClosed: isClosed))
            types.append(OfType(name: name, component: component, schema: schema, isClosed: isClosed))
        }
    }

    private func type(_ schema: JSONSchema, _ name: String, isClosed: Bool) -> OfType? {
        types.first { $0.isClosed == isClosed && $0.name == name && $0.schema.isSame(as: schema) }
    }

    /// The component that stands for a shape that has a name.
    func component(of schema: JSONSchema, _ name: String, isClosed: Bool) -> String {
        type(schema, name, isClosed: isClosed)?.component ?? Self.key(ofType: name, isClosed: isClosed)
    }

    /// The component that stands for what a view model shows, or one of its facets.
    func component(of viewModel: Name, _ facet: Name? = nil) -> String {
        let key = Self.key(viewModel, facet)
        return components[key] ?? key
    }

    /// What the operations of a view model stand under.
    func tag(of viewModel: Name) -> String { tags[viewModel] ?? viewModel.rawValue }

    /// In a body, where no other members are taken, it is another component.
    private static func key(ofType name: String, isClosed: Bool) -> String {
        let name = String(name.map { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == ".") ? $0 : "-" })
        return isClosed ? "\(name)-body" : name
    }

    /// Names have no dots.
    private static func key(_ viewModel: Name, _ facet: Name? = nil) -> String {
        facet.map { "\(viewModel).\($0)" } ?? viewModel.rawValue
    }
}
