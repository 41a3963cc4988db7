import Foundation
import TestSupport
import ViewModels

extension JSONValue {
    /// Reads JSON text.
    init(_ text: [UInt8]) throws { self = try JSONDecoder().decode(JSONValue.self, from: Data(text)) }

    subscript(name: String) -> JSONValue? {
        if case .object(let members) = self { members[name] } else { nil }
    }

    var string: String? { if case .string(let text) = self { text } else { nil } }
    var number: Double? { if case .number(let number) = self { number } else { nil } }
    var array: [JSONValue]? { if case .array(let elements) = self { elements } else { nil } }
}

extension JSONValue: ExpressibleByDictionaryLiteral, ExpressibleByArrayLiteral {
    package init(dictionaryLiteral members: (String, JSONValue)...) {
        self = .object(Dictionary(members) { $1 })
    }

    package init(arrayLiteral elements: JSONValue...) { self = .array(elements) }
}

extension ReceivedResponse {
    /// The body as JSON.
    func json() throws -> JSONValue { try JSONValue(body) }

    /// What an answer of `/changes` says, as `counter.text=1@3`.
    func changes() throws -> [String] { try json().changes }

    /// The entity tag without its quotes, which is a cursor.
    var cursor: String? { self["ETag"]?.trimmingCharacters(in: ["\""]) }
}

extension JSONValue {
    /// What an answer of `/changes` says, as `counter.text=1@3`, without the value where there is none.
    var changes: [String] {
        (self["changes"]?.array ?? []).map { change in
            let name = "\(change["viewModel"]?.string ?? "?").\(change["output"]?.string ?? "?")"
            let value = change["value"].map { "=\($0.plain)" } ?? ""
            return "\(name)\(value)@\(change["seq"]?.number.map { String(Int($0)) } ?? "?")"
        }
    }

    private var plain: String {
        switch self {
        case .null: "null"
        case .boolean(let truth): String(truth)
        case .number(let number): number == number.rounded() ? String(Int(number)) : String(number)
        case .whole(let number): String(number)
        case .string(let text): text
        case .array, .object: "…"
        }
    }
}
