import TestSupport
import Testing
import ViewModels

@testable import Service

/// Expects an error as RFC 9457 and openapi.yaml want it: the type, and everything each of them has.
func expect(
    _ answer: ReceivedResponse, isProblem slug: String, _ status: Int, sourceLocation: SourceLocation = #_sourceLocation
) throws {
    #expect(answer.status == status, "\(answer.text)", sourceLocation: sourceLocation)
    #expect(answer["Content-Type"] == "application/problem+json", sourceLocation: sourceLocation)
    #expect(answer["Cache-Control"] == "no-store", sourceLocation: sourceLocation)
    let json = try answer.json()
    #expect(json["type"] == .string("/problems/\(slug)"), sourceLocation: sourceLocation)
    #expect(json["status"] == .number(Double(status)), sourceLocation: sourceLocation)
    #expect(json["detail"]?.string?.isEmpty == false, sourceLocation: sourceLocation)
    let id = try #require(answer["Request-Id"], sourceLocation: sourceLocation)
    #expect(answer.count(of: "Request-Id") == 1, sourceLocation: sourceLocation)
    #expect(json["instance"] == .string(id), sourceLocation: sourceLocation)
    let known = try #require(ProblemType.all.first { $0.slug == slug && $0.status == status }, "not described")
    #expect(json["title"] == .string(known.title), sourceLocation: sourceLocation)
    if status == 401 { #expect(answer["WWW-Authenticate"] == "Bearer", sourceLocation: sourceLocation) }
    if [429, 503].contains(status) {
        let seconds = answer["Retry-After"].flatMap { Int($0) }
        #expect(seconds.map { $0 >= 0 } == true, "Retry-After", sourceLocation: sourceLocation)
    }
}
