import Foundation
import Testing

@testable import HTTP

/// Protects clients from malformed problems, and user data from the log.
@Suite("Problems")
struct ProblemTests {
    @Test("a problem is JSON with the members of RFC 9457 in their order, the others after them")
    func json() throws {
        let problem = Problem(
            "wrong-shape", status: 422, title: "Wrong shape", detail: "\"id\" is\nmissing: é / \u{1}",
            members: [("pointer", Array("\"/id\"".utf8)), ("limit", Array("3".utf8))])
        let text = String(decoding: problem.json(instance: "abc-1"), as: UTF8.self)
        #expect(
            text
                == #"{"type":"/problems/wrong-shape","title":"Wrong shape","status":422,"detail":"\"id\" is\nmissing: "#
                + #"é / \u0001","instance":"abc-1","pointer":"/id","limit":3}"#)
        let object = try #require(JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
        #expect(object["detail"] as? String == "\"id\" is\nmissing: é / \u{1}")
    }

    @Test("a problem's answer has its status and its header fields")
    func response() {
        let problem = Problem(
            "session-unknown", status: 401, title: "Unknown", detail: "Ask for one.",
            headers: [.init("WWW-Authenticate", "Bearer")])
        let response = problem.response(instance: "i")
        #expect(response.status == 401)
        #expect(response.headers.contains(.init("Content-Type", "application/problem+json")))
        #expect(response.headers.contains(.init("WWW-Authenticate", "Bearer")))
    }

    @Test("an unforeseen error is a 500 that names its type and its case or code in the log, never its text")
    func unknownError() {
        struct Secret: Error { let password = "hunter2" }
        enum Reason: Error { case tooLate, text(String) }
        let problem = Problem.internal(causedBy: Secret())
        #expect(problem.json(instance: "i") == Problem.internalError.json(instance: "i"))
        #expect(problem.cause?.contains("Secret (") == true)
        #expect(problem.cause?.contains("hunter2") == false)
        #expect(Problem.internal(causedBy: Reason.tooLate).cause?.hasSuffix("Reason.tooLate") == true)
        #expect(Problem.internal(causedBy: Reason.text("hunter2")).cause?.hasSuffix("Reason.text") == true)
        let cause = Problem.internal(causedBy: CocoaError(.fileNoSuchFile)).cause
        #expect(cause?.hasSuffix("(NSCocoaErrorDomain 4)") == true)
    }
}
