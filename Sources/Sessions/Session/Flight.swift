/// A step on its way to the store: submitted, not yet settled, and not yet shown.
struct Flight: Sendable {
    let number: UInt64
    let draft: Draft
    let settlement: Settlement
}
