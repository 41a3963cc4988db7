import Testing

@testable import HTTP

/// Protects bounds and trust that depend on addresses.
@Suite("IP addresses and networks")
struct IPAddressTests {
    @Test(
        "an address is read and written as RFC 5952 has it, one mapped into IPv6 as the IPv4 address that it is",
        arguments: [
            ("127.0.0.1", "127.0.0.1"), ("::ffff:192.0.2.7", "192.0.2.7"), ("::FFFF:c000:207", "192.0.2.7"),
            ("::1", "::1"),
            ("::", "::"), ("2001:DB8:0:0:0:0:0:1", "2001:db8::1"), ("255.255.255.255", "255.255.255.255"),
            ("ffff:ffff:ffff:ffff:ffff:ffff:255.255.255.255", "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff"),
        ])
    func read(text: String, written: String) throws {
        let address = try #require(IPAddress(text))
        #expect(address.description == written)
        #expect(IPAddress(written) == address)
    }

    @Test(
        "what is no address is none",
        arguments: [
            "", "1", "1.2.3", "1.2.3.4.5", "256.1.1.1", "01.2.3.4", "1.2.3.4 ", " 1.2.3.4", "1.2.3.4\0", "1.2.3.4:80",
            "[::1]",
            "::1%eth0", ":::", "localhost", "0x7f.1", String(repeating: "1", count: 200), "１.2.3.4",
        ])
    func malformed(text: String) { #expect(IPAddress(text) == nil) }

    @Test("loopback is 127.0.0.0/8 and ::1")
    func loopback() {
        for text in ["127.0.0.1", "127.255.1.2", "::1", "::ffff:127.0.0.1"] {
            #expect(IPAddress(text)?.isLoopback == true, "\(text)")
        }
        for text in ["128.0.0.1", "126.255.255.255", "::2", "::", "0.0.0.0", "fe80::1", "7f00:1::"] {
            #expect(IPAddress(text)?.isLoopback == false, "\(text)")
        }
    }

    @Test("an IPv6 client is its /64, an IPv4 client its address")
    func network() {
        #expect(IPAddress("2001:db8:1:2:3:4:5:6")?.network == IPAddress("2001:db8:1:2::"))
        #expect(IPAddress("2001:db8:1:2::9")?.network == IPAddress("2001:db8:1:2:ffff::")?.network)
        #expect(IPAddress("2001:db8:1:3::9")?.network != IPAddress("2001:db8:1:2::9")?.network)
        #expect(IPAddress("192.0.2.7")?.network == IPAddress("192.0.2.7"))
    }

    @Test(
        "a network contains what begins as it does",
        arguments: [
            ("10.1.2.3/8", "10.255.0.1", true), ("10.0.0.0/8", "11.0.0.0", false), ("0.0.0.0/0", "203.0.113.7", true),
            ("0.0.0.0/0", "2001:db8::1", false), ("::/0", "2001:db8::1", true), ("::/0", "203.0.113.7", true),
            ("192.0.2.7", "192.0.2.7", true), ("192.0.2.7/32", "192.0.2.6", false),
            ("2001:db8::/33", "2001:db8:7fff::", true),
            ("2001:db8::/33", "2001:db8:8000::", false), ("2001:db8::/65", "2001:db8::7fff:0:0:1", true),
            ("2001:db8::/65", "2001:db8::8000:0:0:1", false), ("10.0.0.0/8", "::ffff:10.9.9.9", true),
        ])
    func contains(network: String, address: String, isInside: Bool) throws {
        #expect(try #require(IPNetwork(network)).contains(try #require(IPAddress(address))) == isInside)
    }

    @Test(
        "what is no network is none",
        arguments: [
            "", "/8", "10.0.0.0/", "10.0.0.0/33", "::/129", "10.0.0.0/-1", "10.0.0.0/+8", "10.0.0.0/8/8", "10/8", "x/8",
        ])
    func noNetwork(text: String) { #expect(IPNetwork(text) == nil) }
}
