import Foundation
import TestSupport
import Testing
import ViewModels

@Suite("Conditional requests")
struct ConditionTests {
    /// `T` stands for the present tag.
    @Test(
        "If-None-Match gives 304 where a tag is the present one, weak or strong, alone or in a list",
        arguments: [
            ("T", 304), ("W/T", 304), ("*", 304), ("\"other\", T", 304), ("\"other\",W/T", 304), ("T , \"other\"", 304),
            (", T,", 304), ("\"other\"", 200), ("\"\"", 200), ("W/\"other\", \"a,b\"", 200),
        ])
    func ifNoneMatch(header: String, status: Int) async throws {
        try await withService { service in
            let tag = try #require(try await service.post("/counter/increment")["ETag"])
            let answer = try await service.get(
                "/counter", "If-None-Match: \(header.replacingOccurrences(of: "T", with: tag))")
            #expect(answer.status == status)
            #expect(answer["ETag"] == tag)
            #expect(answer["Cache-Control"] == "no-store")
            #expect(answer.body.isEmpty == (status == 304))
        }
    }

    @Test("after a change the old tag gives 200 again")
    func moved() async throws {
        try await withService { service in
            let tag = try #require(try await service.get("/counter")["ETag"])
            #expect(try await service.get("/counter", "If-None-Match: \(tag)").status == 304)
            #expect(try await service.head("/counter", "If-None-Match: \(tag)").status == 304)
            _ = try await service.post("/counter/increment")
            #expect(try await service.get("/counter", "If-None-Match: \(tag)").status == 200)
        }
    }

    @Test(
        "If-Match lets an action run where a tag is the present one, compared strongly",
        arguments: [
            ("T", 200), ("*", 200), ("\"other\", T", 200), ("T,", 200), ("W/T", 412), ("\"other\"", 412),
            ("W/T, \"other\"", 412),
        ])
    func ifMatch(header: String, status: Int) async throws {
        try await withService { service in
            let before = try #require(try await service.post("/counter/increment")["ETag"])
            let answer = try await service.post(
                "/counter/increment", "If-Match: \(header.replacingOccurrences(of: "T", with: before))")
            #expect(answer.status == status)
            if status == 412 {
                try expect(answer, isProblem: "precondition-failed", 412)
                #expect(try await service.get("/counter")["ETag"] == before)
            } else {
                #expect(answer.text == #"{"text":"2","enabled":true,"alpha":1}"#)
            }
        }
    }

    @Test("the tag decides before the action does: 412, not 409, for a stale decrement at zero")
    func conditionFirst() async throws {
        try await withService { service in
            try expect(
                try await service.post("/counter/decrement", "If-Match: \"stale.1\""), isProblem: "precondition-failed",
                412)
        }
    }

    @Test(
        "a malformed condition is 400 and nothing happens",
        arguments: ["", "k3Qm7w.1", "\"open", "* \"a\"", "\"a\" \"b\"", "w/\"a\"", "\"a\";\"b\""])
    func malformed(header: String) async throws {
        try await withService { service in
            let before = try await service.get("/counter")["ETag"]
            try expect(
                try await service.get("/counter", "If-None-Match: \(header)"), isProblem: "malformed-header", 400)
            try expect(
                try await service.post("/counter/increment", "If-Match: \(header)"), isProblem: "malformed-header", 400)
            #expect(try await service.get("/counter")["ETag"] == before)
        }
    }

    @Test("a condition in two fields is one list, and no list has a star beside tags")
    func twoFields() async throws {
        try await withService { service in
            let tag = try #require(try await service.get("/counter")["ETag"])
            let other = "\"other\""
            #expect(try await service.get("/counter", "If-None-Match: \(other)", "If-None-Match: \(tag)").status == 304)
            try expect(
                try await service.get("/counter", "If-None-Match: *", "If-None-Match: \(tag)"),
                isProblem: "malformed-header", 400)
            try expect(
                try await service.post("/counter/increment", "If-Match: *", "If-Match: \(tag)"),
                isProblem: "malformed-header", 400)
            #expect(try await service.get("/counter")["ETag"] == tag)
            #expect(
                try await service.post("/counter/increment", "If-Match: \(other)", "If-Match: \(tag)").status == 200)
        }
    }
}
