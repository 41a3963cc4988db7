import Foundation

extension SchemaSearch {
    /// The cases of an enumeration of raw values; nil for any other type.
    func choices<Value: Decodable>(of type: Value.Type) throws -> JSONSchema? {
        guard EnumCases.isEnum(type), !EnumCases.carry(type), let raw = type as? any (RawRepresentable & Decodable).Type
        else { return nil }
        return try choices(ofRaw: raw)
    }

    private func choices<Choice: RawRepresentable & Decodable>(ofRaw type: Choice.Type) throws -> JSONSchema? {
        let listed = (type as? any CaseIterable.Type).map { $0.listed.compactMap { $0 as? Choice } }
        guard let cases = EnumCases.all(of: type) ?? listed else {
            throw SchemaFault(type, "does not tell its cases: conform it to CaseIterable")
        }
        keep(cases.first)
        let texts = cases.compactMap { $0.rawValue as? String }
        if texts.count == cases.count, cases.allSatisfy({ isRead($0, from: $0.rawValue as? String) }) {
            return .oneOf(texts)
        }
        let numbers = cases.compactMap { ($0.rawValue as? any FixedWidthInteger).flatMap { Int128(exactly: $0) } }
        if numbers.count == cases.count, zip(cases, numbers).allSatisfy({ isRead($0, from: $1) }) {
            return .oneOfIntegers(numbers)
        }
        if cases.allSatisfy({ isRead($0, from: $0.rawValue as? Double ?? ($0.rawValue as? Float).map(Double.init)) }) {
            throw SchemaFault(
                type, "has raw values that are neither texts nor integers: give it such, or no raw values")
        }
        // It is read as something else: that it is asked for.
        return nil
    }

    private func isRead<Choice: RawRepresentable & Decodable>(_ choice: Choice, from raw: (some Encodable)?) -> Bool {
        guard let text = raw.flatMap({ try? JSON.encode($0) }) else { return false }
        guard let read = try? JSON.decode(Choice.self, from: text) else { return false }
        return "\(read.rawValue)" == "\(choice.rawValue)"
    }
}

extension CaseIterable {
    fileprivate static var listed: [Any] { Array(allCases) }
}
