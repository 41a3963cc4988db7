/// A kind of problem this service reports (RFC 9457): what `/problems/SLUG` stands for.
struct ProblemType: Hashable, Sendable {
    /// The last segment of the type's URI.
    let slug: String
    /// What kind of problem it is, the same for every occurrence.
    let title: String
    /// The HTTP status it is reported with.
    let status: Int
    /// In plain words, what the caller can do; used where an occurrence has nothing more to say.
    let advice: String

    init(_ slug: String, _ status: Int, _ title: String, _ advice: String) {
        self.slug = slug
        self.title = title
        self.status = status
        self.advice = advice
    }
}
