import Sessions
import Testing

@Suite("Cursor")
struct CursorTests {
    @Test(
        "is read and written as EPOCH.SEQ",
        arguments: [
            ("k3Qm7w.43", "k3Qm7w", 43), ("a.0", "a", 0), ("-_.1", "-_", 1),
            ("0123456789abcdef.7", "0123456789abcdef", 7),
            ("A.18446744073709551615", "A", UInt64.max),
        ])
    func good(text: String, epoch: String, seq: UInt64) throws {
        let cursor = try #require(Cursor(text))
        #expect(cursor.epoch.rawValue == epoch)
        #expect(cursor.seq == seq)
        #expect("\(cursor)" == text)
        #expect(cursor.entityTag == "\"\(text)\"")
    }

    @Test(
        "anything else is none",
        arguments: [
            "", ".", "a", "a.", ".1", "a.01", "a.00", "a.-1", "a.+1", "a.1.2", "a.1 ", " a.1", "a .1", "a.1x", "a.0x1",
            "a.18446744073709551616", "a.99999999999999999999999", "0123456789abcdefg.1", "a/b.1", "é.1", "a.１",
            "a.1\n",
            "a.1\u{301}", "a.\u{301}1", "\"a.1\"", "a,1", "a%2E1", "a.1e3", "=.1",
        ])
    func bad(text: String) { #expect(Cursor(text) == nil) }
}

@Suite("Epoch")
struct EpochTests {
    @Test("a new one is six characters that are read back")
    func random() throws {
        let epoch = Epoch.random()
        #expect(epoch.rawValue.utf8.count == 6)
        #expect(Epoch(epoch.rawValue) == epoch)
    }

    @Test("no two of a thousand are the same, save one pair at most")
    func distinct() { #expect(Set((0..<1000).map { _ in Epoch.random() }).count >= 999) }
}
