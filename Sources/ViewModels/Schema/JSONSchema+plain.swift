extension JSONSchema {
    /// Ordinary values of it, as JSON texts, with no more in them than there has to be.
    func plainTexts(around shapes: [String: JSONSchema]) -> [String] {
        switch self {
        case .nullable(let schema): return schema.plainTexts(around: shapes)
        case .named(let name, let schema): return schema.plainTexts(around: shapes.merging([name: schema]) { $1 })
        case .reference(let name):
            return shapes[name].map { $0.plainTexts(around: shapes.filter { $0.key != name }) } ?? []
        case .pairs: return ["[]"]
        case .array(let element): return ["[]"] + element.plainTexts(around: shapes).prefix(1).map { "[\($0)]" }
        case .dictionary(let element, let names):
            let name = names.candidate(0)?.quoted ?? ""
            return ["{}"] + element.plainTexts(around: shapes).prefix(1).map { "{\(name):\($0)}" }
        case .object(let members):
            let required = members.filter(\.isRequired)
            let texts = required.compactMap { member in
                member.schema.plainTexts(around: shapes).first.map { "\(JSON.text(member.name)):\($0)" }
            }
            return texts.count < required.count ? [] : ["{\(texts.joined(separator: ","))}"]
        case .choice(let members):
            return members.compactMap { member in
                member.schema.plainTexts(around: shapes).first.map { "{\(JSON.text(member.name)):\($0)}" }
            }
        case .tuple(let schemas):
            let texts = schemas.compactMap { $0.plainTexts(around: shapes).first }
            return texts.count < schemas.count ? [] : ["[\(texts.joined(separator: ","))]"]
        default: return (0..<candidateCount).compactMap(candidate)
        }
    }
}
