extension DecodingError {
    /// The keys that lead to where it happened, whether nothing is there, and what lies under it.
    var place: (keys: [any CodingKey], isMissing: Bool, error: (any Error)?)? {
        switch self {
        case .typeMismatch(_, let context), .dataCorrupted(let context):
            (context.codingPath, false, context.underlyingError)
        case .valueNotFound(_, let context): (context.codingPath, true, context.underlyingError)
        case .keyNotFound(let key, let context): (context.codingPath + [key], true, context.underlyingError)
        @unknown default: nil
        }
    }
}
