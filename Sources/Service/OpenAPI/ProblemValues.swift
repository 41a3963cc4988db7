import HTTP
import ViewModels

/// The values of problems in the template of the OpenAPI description.
enum ProblemValues {
    /// The statuses of problems that an action may report, besides those that it declares.
    static let ofActions = [400, 401, 403, 412, 413, 414, 415, 421, 422, 429, 431, 500, 503, 504]

    private static let headers = [
        401: ["WWW-Authenticate"], 405: ["Allow"], 415: ["Accept-Patch"], 429: ["Retry-After"], 503: ["Retry-After"],
    ]

    /// A response for each status that the server reports a problem with.
    static var responses: [Template.Values] {
        Dictionary(grouping: ProblemType.all, by: \.status).sorted { $0.key < $1.key }.map { status, types in
            [
                "status": .text(String(status)), "description": .quoted(words(types)),
                "header": .list((headers[status] ?? []).map { ["name": .text($0)] }),
                "example": .text(types.first.map { example($0.slug, status, $0.title, $0.explanation) } ?? "{}"),
            ]
        }
    }

    /// The response to refusals that an action declares with a status.
    static func refusal(_ status: Int, _ refusals: [DeclaredRefusal]) -> Template.Values {
        let own = refusals.map { "`/problems/\($0.kind.type)`: \($0.summary)" }
        let others = ofActions.contains(status) ? [words(ProblemType.all.filter { $0.status == status })] : []
        let example = refusals.first.map { Self.example($0.kind.type, status, $0.kind.title, $0.summary) }
        return [
            "status": .text(String(status)), "description": .quoted((own + others).joined(separator: " ")),
            "example": .text(example ?? "{}"),
        ]
    }

    /// An answer of `GET /problems/not-found`.
    static var kindExample: String {
        let type = ProblemType.notFound
        return #"{"type":"/problems/\#(type.slug)","title":"\#(type.title)","detail":"\#(type.explanation)","#
            + #""status":\#(type.status)}"#
    }

    private static func words(_ types: [ProblemType]) -> String {
        let names = types.map { "`/problems/\($0.slug)`" }.joined(separator: ", ")
        return types.map(\.title).joined(separator: "; ") + ". Types: \(names)."
    }

    private static func example(_ slug: String, _ status: Int, _ title: String, _ detail: String) -> String {
        let problem = Problem(slug, status: status, title: title, detail: detail)
        guard case .bytes(let json) = problem.response(instance: "8dwc1rme-5").body else { return "{}" }
        return YAMLText.printable(json)
    }
}
