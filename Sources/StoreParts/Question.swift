import Entities

/// A question for a reader, with its callback.
package enum Question: Sendable {
    /// Reads an entity.
    case load(EntityID, @Sendable (ReadResult<StoredEntity>) -> Void)
    /// Reads the head of an entity.
    case head(EntityID, @Sendable (ReadResult<Stamp>) -> Void)
    /// Looks for a key whose window has not passed.
    case key(KeyDigest, EntityID, @Sendable (KeyResult) -> Void)

    package var id: EntityID {
        switch self {
        case .load(let id, _), .head(let id, _), .key(_, let id, _): id
        }
    }

    /// Answers that the read failed.
    package func fail() {
        switch self {
        case .load(_, let done): done(.failed)
        case .head(_, let done): done(.failed)
        case .key(_, _, let done): done(.failed)
        }
    }
}
