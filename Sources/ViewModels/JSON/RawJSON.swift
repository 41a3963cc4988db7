/// A value of any type, kept as its JSON text: for what is read before its type is known.
package struct RawJSON: Decodable, Sendable, Hashable {
    /// The text, compact, and the members of objects sorted.
    package let text: [UInt8]

    /// - Throws: `DecodingError` by any decoder but ``JSON``'s, which alone has the text.
    package init(from decoder: any Decoder) throws {
        guard let decoder = decoder as? JSONNodeDecoder else {
            throw DecodingError.dataCorrupted(
                .init(codingPath: decoder.codingPath, debugDescription: "Only JSON.decode reads a RawJSON."))
        }
        text = decoder.node.text
    }
}

extension RawJSON: CustomStringConvertible {
    /// The text, as a failed test shows it.
    package var description: String { String(decoding: text, as: UTF8.self) }
}
