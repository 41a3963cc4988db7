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
        /// The place of the ask that fails.
        var failing: Int?
        /// The places of which all asks fail.
        var spared: Set<Place> = []
        /// Whether what may be missing is there.
        var isPresent = false
        /// The places of members that are missing.
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
    /// The places that it could do without: they may be missing or null.
    var optionals: Set<Place> = []
    /// The places that it read without asking whether anything is there.
    private(set) var demanded: Set<Place> = []
    /// The places that it looked for before it read them.
    var soughtPlaces: Set<Place> = []
    /// The places that it compared with null.
    var comparedPlaces: Set<Place> = []
    /// The lists of which it read more than there was.
    var overruns: Set<Place> = []
    /// Whether it asked how many elements a list has.
    var isCounted = false
    /// The most values there are to be tried of one that it read.
    var mostVariants = 0
    /// Why it cannot be known.
    var fault: SchemaFault?

    init(_ plan: Plan, of search: SchemaSearch) { (self.plan, self.search) = (plan, search) }

    /// Notes that something is asked for.
    func ask(_ place: Place, for type: any Any.Type) throws {
        asks.append(Ask(place: place, type: ObjectIdentifier(type)))
        if asks.count - 1 == plan.failing || plan.spared.contains(place) { throw Nothing() }
    }

    /// Reads a value at a place.
    func read<Value: Decodable>(_ type: Value.Type, as part: Part) throws -> Value {
        let schema = try describe(type, as: part)
        demanded.insert(part.place)
        try ask(part.place, for: type)
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
