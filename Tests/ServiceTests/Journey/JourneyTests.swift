import TestSupport
import Testing
import ViewModels

@Suite("The curl journey of the README")
struct JourneyTests {
    @Test("three clients see one counter: one presses its buttons, one reads, one waits on /changes")
    func threeClients() async throws {
        try await withService { service in
            #expect(try await service.get("/counter").text == #"{"text":"0","enabled":false,"alpha":0.5}"#)
            #expect(try await service.post("/counter/increment").text == #"{"text":"1","enabled":true,"alpha":1}"#)

            let snapshot = try await service.get("/changes?topics=counter")
            let cursor = try #require(try snapshot.json()["cursor"]?.string)
            #expect(
                snapshot.text == """
                    {"kind":"snapshot","reason":"initial","cursor":"\(cursor)","changes":[\
                    {"seq":1,"viewModel":"counter","output":"text","value":"1"},\
                    {"seq":1,"viewModel":"counter","output":"enabled","value":true},\
                    {"seq":1,"viewModel":"counter","output":"alpha","value":1}]}
                    """)

            #expect(
                try await service.post("/login/validate", json: #"{"id":"taro"}"#).text
                    == #"{"text":"Passwordが未入力です。","color":"red"}"#)
            #expect(try await service.post("/counter/decrement").text == #"{"text":"0","enabled":false,"alpha":0.5}"#)
            let refused = try await service.post("/counter/decrement")
            try expect(refused, isProblem: "action-disabled", 409)
            #expect(refused.text.hasSuffix(#","state":{"text":"0","enabled":false,"alpha":0.5}}"#))

            let now = try await service.cursor()
            let waiting = try await service.poll("since=\(now)")
            await service.waits(1)
            _ = try await service.post("/counter/increment")
            let epoch = now.prefix { $0 != "." }
            #expect(
                try await waiting.answer().text == """
                    {"kind":"delta","cursor":"\(epoch).4","changes":[\
                    {"seq":4,"viewModel":"counter","output":"text","value":"1"},\
                    {"seq":4,"viewModel":"counter","output":"enabled","value":true},\
                    {"seq":4,"viewModel":"counter","output":"alpha","value":1}]}
                    """)
        }
    }

    @Test("one cursor serves conditional GET, poll and event stream in turn")
    func threeSpeeds() async throws {
        try await withService { service in
            let first = try #require(try await service.post("/counter/increment").cursor)
            _ = try await service.post("/counter/increment")
            let polled = try await service.get("/changes?since=\(first)")
            #expect(try polled.changes() == ["counter.text=2@2"])
            let second = try #require(try polled.json()["cursor"]?.string)

            let stream = try await service.stream("since=\(second)")
            try await stream.opened()
            await service.waits(1)
            _ = try await service.post("/counter/increment")
            let event = try #require(try await stream.next())
            #expect(try event.json().changes == ["counter.text=3@3"])
            let third = try #require(event.id)

            #expect(try await service.get("/counter", "If-None-Match: \"\(third)\"").status == 304)
            let idle = try await service.get("/changes?since=\(third)&wait=0")
            #expect(idle.text == #"{"kind":"idle","cursor":"\#(third)","changes":[]}"#)
        }
    }
}
