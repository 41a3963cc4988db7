import Events
import HTTP
import Service

/// An environment variable that looks like an option, and is none.
package struct IgnoredVariable: Equatable {
    let name: String
    /// Why it is not taken.
    let reason: String
    /// The variable that was probably meant.
    var nearest: String?

    /// What the log says of it.
    var event: Event {
        Event(
            .variableIgnored,
            ["variable": .text(name), "reason": .text(reason), "nearest": nearest.map { .text($0) }])
    }

    /// What `bindery call` and `watch` take a session's token from.
    package static let clientToken = "BINDERY_TOKEN"

    /// The `BINDERY_…` variables that are no option, except that and those that Kubernetes sets for a Service called bindery.
    static func all(in environment: [String: String]) -> [IgnoredVariable] {
        let known = ProgramOption.all.map(\.variable)
        return environment.keys.filter {
            $0.hasPrefix("BINDERY_") && !known.contains($0) && $0 != clientToken && !isServiceLink($0)
        }
        .sorted()
        .map { IgnoredVariable(name: $0, reason: "no such option", nearest: Nearest.name(to: $0, among: known)) }
    }

    /// Whether a variable says where a Service called bindery is, in the words of Docker links that Kubernetes keeps
    /// (kubernetes.io, "Service", "Environment variables").
    private static func isServiceLink(_ name: String) -> Bool {
        name.wholeMatch(of: /BINDERY_(SERVICE_HOST|SERVICE_PORT(_.+)?|PORT_\d+_(TCP|UDP|SCTP)(_(PROTO|PORT|ADDR))?)/)
            != nil
    }

    /// What is ignored of an option's variable: of `BINDERY_PORT` what Kubernetes sets it to, as `tcp://10.0.0.1:80`.
    init?(_ option: ProgramOption, _ text: String) {
        guard option.name == "port", ["tcp://", "udp://", "sctp://"].contains(where: text.hasPrefix) else {
            return nil
        }
        self.init(
            name: option.variable,
            reason: "it is the address of a Service called bindery, as Kubernetes sets it, and no port")
    }

    private init(name: String, reason: String, nearest: String? = nil) {
        (self.name, self.reason, self.nearest) = (name, reason, nearest)
    }
}
