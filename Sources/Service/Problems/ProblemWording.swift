import HTTP
import ViewModels

/// What a problem says, in one language.
public struct ProblemText: Hashable, Sendable {
    /// What kind of problem it is, in a few words.
    public var title: String
    /// What happened, and what to do about it.
    public var detail: String

    /// Says it.
    public init(title: String, detail: String) { (self.title, self.detail) = (title, detail) }
}

/// How problems are worded for whoever asks, by `Accept-Language` (RFC 4647, section 3.4), in English where that says nothing.
///
/// The service words its own in English and in Japanese. A host adds languages, and has the last word in each: on what the service
/// says, and on the refusals of its view models. Those stay as they were thrown otherwise, without `Content-Language`, but that the
/// titles of the kinds that are Bindery's own are Japanese where that is asked for.
///
/// ```swift
/// options.service.wording = ProblemWording(also: "de") { problem, language in
///     guard language == "de" else { return nil }
///     return switch problem.type {
///     case "action-disabled": ProblemText(title: "Jetzt nicht", detail: "Es wartet niemand; ziehen Sie zuerst eine Nummer.")
///     case "too-many-actions": ProblemText(title: "Zu schnell", detail: "Warten Sie einen Augenblick.")
///     default: nil
///     }
/// }
/// ```
/// Type, status, `pointer` and all other members are the same in each language. An outcome that is kept under an `Idempotency-Key` is
/// said again in the words of its first time. What is refused before a head was read, as too many connections, is English.
public struct ProblemWording: Sendable {
    /// A problem that is to be worded.
    public struct Occurrence: Sendable {
        /// Its type as the server's code has it: `action-disabled`, or `lent-out` of a `.custom(type: "lent-out", …)`.
        ///
        /// Clients are sent `/problems/action-disabled`, which is what `RemoteProblem.type` of `BinderyClient` says.
        public let type: String
        /// Its HTTP status.
        public let status: Int
        /// What it says: of the service in English, with its numbers and names; of a view model's refusal as it was thrown.
        public let text: ProblemText
    }

    let languages: Languages
    private let translate: (@Sendable (Occurrence, Language) -> ProblemText?)?

    /// English and Japanese, for what the service itself says.
    public init() { (languages, translate) = (Languages(.english, .japanese), nil) }

    /// The same, and the words of a host.
    ///
    /// - Parameters:
    ///   - others: what the host speaks beside English and Japanese.
    ///   - translate: what to say in a language, one of all these; nil for what the service says, in English where it has no words
    ///     of that language. Called for each problem, on any thread and perhaps under a lock: it neither waits nor asks a session.
    public init(also others: Language..., translate: @escaping @Sendable (Occurrence, Language) -> ProblemText?) {
        languages = Languages(.english, [.japanese] + others)
        self.translate = translate
    }

    /// A problem in the words of whoever asked.
    func worded(_ problem: Problem, for acceptLanguage: String?) -> Problem {
        let (text, language) = text(of: problem, in: AcceptLanguage.preferred(in: acceptLanguage, of: languages))
        var problem = problem
        (problem.title, problem.detail) = (text.title, text.detail)
        problem.headers.append(Header(.vary, "Accept-Language"))
        if let language { problem.headers.append(Header("Content-Language", language.rawValue)) }
        return problem
    }

    /// - Returns: the language, too; nil where nobody knows in which a view model has spoken.
    private func text(of problem: Problem, in language: Language) -> (ProblemText, Language?) {
        let text = ProblemText(title: problem.title, detail: problem.detail)
        let occurrence = Occurrence(type: problem.slug, status: problem.status, text: text)
        if let translated = translate?(occurrence, language) { return (translated, language) }
        let japanese = language == .japanese ? JapaneseProblems.text(of: occurrence, isOfHost: problem.isOfHost) : nil
        if problem.isOfHost { return (japanese ?? text, nil) }
        return japanese.map { ($0, language) } ?? (text, .english)
    }
}
