/// One run of a type's `init(from:)`, on values that are made up: what it asked for, and the shape that this is.
final class SchemaRun {
    /// What it is given.
    struct Plan {
        /// Which of the made-up values.
        var variant = 0
        /// How many elements a list has, where the type looks for its end.
        var length = 2
        /// Which of its cases an enumeration finds, by their places.
        var cases = [0]
        /// The ask that fails.
        var failing: Ask?
        /// The places of which all asks fail.
        var failingPlaces: Set<Place> = []
        /// The places of members that are missing, or null where nobody looks whether they are there.
        var missing: Set<Place> = []
        /// The place of a value that is null.
        var null: Place?
    }

    /// The names that lead to a value; none to the whole.
    typealias Place = [String]

    /// What was asked for, and where.
    struct Ask: Hashable {
        let place: Place
        let type: ObjectIdentifier
    }

    /// Thrown where nothing can be given.
    struct Nothing: Error {}

    let plan: Plan
    let search: SchemaSearch
    let root = Part(at: [])
    private(set) var asks: [Ask] = []
    /// The places that it looked for before it read them.
    private(set) var soughtPlaces: Set<Place> = []
    /// The places that it compared with null.
    private(set) var comparedPlaces: Set<Place> = []
    /// The lists of which it read more than there was.
    var overruns: Set<Place> = []
    /// Whether it asked how many elements a list has.
    var isCounted = false
    /// The most values there are to be tried of one that it read.
    private(set) var mostVariants = 0
    /// Why it cannot be known.
    var fault: SchemaFault?

    init(_ plan: Plan, of search: SchemaSearch) { (self.plan, self.search) = (plan, search) }

    /// Adds what another run of the type has asked for besides.
    func add(_ other: SchemaRun) {
        asks += other.asks
        soughtPlaces.formUnion(other.soughtPlaces)
        comparedPlaces.formUnion(other.comparedPlaces)
        isCounted = isCounted || other.isCounted
        mostVariants = max(mostVariants, other.mostVariants)
        root.add(other.root)
    }

    /// Notes that something is asked for, which may be there and be null.
    func ask(_ place: Place, for type: any Any.Type, takesNull: Bool = false) throws {
        let ask = Ask(place: place, type: ObjectIdentifier(type))
        asks.append(ask)
        let isThere = !plan.missing.contains(place) && (takesNull || plan.null != place)
        if !isThere || ask == plan.failing || plan.failingPlaces.contains(place) { throw Nothing() }
    }

    /// Whether anything is at a place that is looked for.
    func seek(_ place: Place) -> Bool {
        soughtPlaces.insert(place)
        return !plan.missing.contains(place)
    }

    /// Whether a value is null that is compared with it.
    func compare(_ place: Place) -> Bool {
        comparedPlaces.insert(place)
        return plan.null == place || plan.missing.contains(place)
    }

    /// Reads a value at a place.
    func read<Value: Decodable>(_ type: Value.Type, as part: Part) throws -> Value {
        let schema = try describe(type, as: part)
        try ask(part.place, for: type, takesNull: schema.takesNull)
        guard let value = madeUp(of: type, schema, at: part.place) else { throw Nothing() }
        part.isRead(as: .value(schema))
        return value
    }

    /// A value of what is asked for at a place, where any is known.
    func madeUp<Value: Decodable>(of type: Value.Type, _ schema: JSONSchema, at place: Place) -> Value? {
        search.value(of: type, schema, variant: plan.variant, at: place)
    }

    /// What a value is.
    func describe<Value: Decodable>(_ type: Value.Type, as part: Part) throws -> JSONSchema {
        do {
            let schema = try JSONSchema(of: type)
            mostVariants = max(mostVariants, schema.candidateCount)
            return schema
        } catch {
            // Kept, as the type may go on without it.
            if fault == nil { fault = part.place.reversed().reduce(error) { $0.within($1) } }
            throw error
        }
    }

    /// What is known of a value, growing as it is read.
    final class Part {
        enum Content {
            case nothing, object, list
            case value(JSONSchema)
        }

        let place: Place
        private(set) var content = Content.nothing
        /// The members of what is read from the same object, as a type that is flattened; nil where it was read as what cannot be one.
        private var flattened: [JSONSchema.Member]? = []
        /// Whether more than one has read it.
        var isFlattened: Bool { flattened?.isEmpty == false }
        private(set) var members: [Part] = []
        /// Where each stands among them, by its name: a structure may have hundreds.
        private var indices: [String: Int] = [:]
        /// Whether a list is read to its end.
        var isReadToEnd = false
        /// The members of which an enumeration has one; nil where nobody looked for them.
        var cases: [String]?
        /// Whether all members were looked for, whatever their names.
        var isOpen = false

        init(at place: Place) { self.place = place }

        /// Notes what it is read as, perhaps not for the first time.
        func isRead(as next: Content) {
            switch (content, next) {
            case (.nothing, _), (.object, .object), (.list, .list): content = next
            case (.object, .value(.object(let members))): flattened? += members
            case (.value(.object(let members)), .object):
                content = .object
                flattened? += members
            case (.value(.object(let members)), .value(.object(let others))):
                content = .object
                flattened? += members + others
            case (.value(let one), .value(let other)) where one == other: break
            case (.value(.integer), .value(.number)): break
            case (.value(.number), .value(.integer)): content = next
            default: flattened = nil
            }
        }

        /// Adds what another run has read of the same value besides.
        func add(_ other: Part) {
            if case .nothing = content { (content, flattened) = (other.content, other.flattened) }
            isReadToEnd = isReadToEnd || other.isReadToEnd
            isOpen = isOpen || other.isOpen
            for member in other.members { self.member(member.place.last ?? "").add(member) }
        }

        /// A member of an object, or an element of a list.
        func member(_ name: String) -> Part {
            if let index = indices[name] { return members[index] }
            let member = Part(at: place + [name])
            indices[name] = members.count
            members.append(member)
            return member
        }

        /// The part at a place within, where one was read.
        func part(at place: Place) -> Part? {
            var part = self
            for name in place {
                guard let index = part.indices[name] else { return nil }
                part = part.members[index]
            }
            return part
        }

        /// Nil where it is not known whole.
        func schema(optional: Set<Place>, nullable: Set<Place>) -> JSONSchema? {
            let known = members.compactMap { member in
                member.schema(optional: optional, nullable: nullable).map {
                    JSONSchema.Member(member.place.last ?? "", $0, isRequired: !optional.contains(member.place))
                }
            }
            guard known.count == members.count, !isOpen, let flattened else { return nil }
            var schema: JSONSchema
            switch content {
            case .nothing: return nil
            case .object:
                var all = known
                for member in flattened {
                    let isRequired = member.isRequired && !optional.contains(place + [member.name])
                    if let index = all.firstIndex(where: { $0.name == member.name }) {
                        // Read by both.
                        guard all[index].schema == member.schema else { return nil }
                        all[index] = .init(member.name, member.schema, isRequired: all[index].isRequired || isRequired)
                    } else {
                        all.append(.init(member.name, member.schema, isRequired: isRequired))
                    }
                }
                schema = .object(all)
            case .list where isReadToEnd:
                guard let first = known.first?.schema, known.allSatisfy({ $0.schema == first }) else { return nil }
                schema = .array(first)
            case .list: schema = .tuple(known.map(\.schema))
            case .value(let value): schema = value
            }
            if nullable.contains(place), !schema.isNullable { schema = .nullable(schema) }
            return schema
        }
    }
}
