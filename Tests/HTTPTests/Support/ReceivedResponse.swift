/// An answer as it came over the wire.
struct ReceivedResponse: Sendable {
    let status: Int
    let headers: [(name: String, value: String)]
    let body: [UInt8]

    var text: String { String(decoding: body, as: UTF8.self) }

    subscript(name: String) -> String? {
        headers.first { $0.name.lowercased() == name.lowercased() }?.value
    }

    func count(of name: String) -> Int {
        headers.count { $0.name.lowercased() == name.lowercased() }
    }
}
