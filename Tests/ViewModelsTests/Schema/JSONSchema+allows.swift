import TestSupport
import ViewModels

extension JSONSchema {
    /// Whether a value has this shape: a validator as small as the schemas are.
    func allows(_ value: JSONValue) -> Bool {
        switch (self, value) {
        case (.anything, _), (.string, .string), (.number, .number), (.boolean, .boolean): true
        case (.integer, .number(let number)): number == number.rounded()
        case (.oneOf(let choices), .string(let text)): choices.contains(text)
        case (.array(let element), .array(let values)): values.allSatisfy(element.allows)
        case (.dictionary(let element), .object(let members)): members.values.allSatisfy(element.allows)
        case (.object(let declared), .object(let members)):
            declared.allSatisfy { member in members[member.name].map(member.schema.allows) ?? !member.isRequired }
        case (.nullable(let schema), _): value == .null || schema.allows(value)
        default: false
        }
    }
}
