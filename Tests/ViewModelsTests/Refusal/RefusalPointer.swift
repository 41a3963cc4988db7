@testable import ViewModels

/// The pointer of a refusal that blames a member of an input.
func pointer<Input: Codable, Member>(
    _ member: (InputPlace<Input>) -> InputPlace<Member>, in input: Input
) -> String? { ActionRefusal.invalid("No.", at: member, of: input).pointer }
