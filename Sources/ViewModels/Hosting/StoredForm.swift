extension StoredModel {
    /// Reads a stored model by the rules of ``StoredModel``.
    ///
    /// - Parameters:
    ///   - defaults: the value of `init()`, as JSON.
    ///   - viewModel: the view model's name.
    /// - Returns: the part, without outputs.
    static func read(
        _ text: [UInt8], version: Int, defaults: JSONValue, of viewModel: String
    ) throws(ModelUnreadable) -> Part {
        func failure(_ reason: String) -> ModelUnreadable {
            ModelUnreadable(viewModel: viewModel, reason: "\(reason) (stored by version \(version))")
        }
        guard version <= Self.version else { throw failure("a later version than \(Self.version) stored it") }
        guard case .object(var object)? = try? JSONValue(parsing: text) else {
            throw failure("it is not a JSON object")
        }
        if version < Self.version {
            do { try migrate(&object, from: version) } catch { throw failure("migrate(_:from:) failed") }
        }
        let decoder = JSONValueDecoder(.object(object), defaults: defaults)
        do {
            let model = try decoder.decode(Self.self)
            for name in decoder.asked ?? [] { object[name] = nil }
            return Part(value: model, version: Self.version, stored: [], outputs: [], unknown: object)
        } catch {
            // Deeper names may be user data, such as keys of a dictionary.
            let path = if case InputFault.wrongShape(let pointer, _) = error { pointer } else { "#" }
            let subject = path.split(separator: "/").dropFirst().first.map { "the member \($0)" } ?? "it"
            throw failure("\(subject) is missing or has another type")
        }
    }
}

/// The error for a stored view model that this build cannot read; it contains no stored data.
public struct ModelUnreadable: Error, Hashable, Sendable, CustomStringConvertible {
    /// The view model's name.
    public let viewModel: String
    /// The reason, a clause without stored data.
    public let reason: String

    package init(viewModel: String, reason: String = "this build cannot read it") {
        (self.viewModel, self.reason) = (viewModel, reason)
    }

    /// One line for a log or a terminal.
    public var description: String { "\(viewModel): \(reason)" }
}
