extension DecodingError {
    /// The keys that lead to where it happened, and what lies under it.
    var place: (keys: [any CodingKey], error: (any Error)?)? {
        switch self {
        case .typeMismatch(_, let context), .valueNotFound(_, let context), .dataCorrupted(let context):
            (context.codingPath, context.underlyingError)
        case .keyNotFound(let key, let context): (context.codingPath + [key], context.underlyingError)
        @unknown default: nil
        }
    }
}
