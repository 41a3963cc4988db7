import ViewModels

/// A model as an earlier build stored it, as JSON text: of the latest one that is deployed, say.
public struct OlderModel: Sendable, ExpressibleByStringLiteral, CustomStringConvertible {
    /// The model as JSON text.
    public let json: String
    /// The version that stored it, as ``StoredModel/version``.
    public let version: Int
    /// The names of its members that this build leaves out on purpose, as a violation names them: no member of another name
    /// took their place.
    ///
    /// With the names that lead there, as in `desk/note`; for a member of a list's elements, an asterisk as in `laps/*/note`;
    /// of a dictionary's values, each key.
    public let gone: Set<String>

    /// Takes a stored model.
    public init(_ json: String, version: Int = 1, gone: Set<String> = []) {
        self.json = json
        self.version = version
        self.gone = gone
    }

    /// Takes a stored model of the first version.
    public init(stringLiteral json: String) { self.init(json) }

    /// The Swift that makes it, in one line.
    public var description: String {
        // More signs than any quotation mark or backslash of the text has behind it, which would end the literal or be read in it.
        let most = json.matches(of: /["\\]#*/).map(\.output.count).max() ?? 1
        let signs = String(repeating: "#", count: most)
        let version = version == 1 ? "" : ", version: \(version)"
        let names = gone.sorted().map { "\"\($0)\"" }.joined(separator: ", ")
        return "OlderModel(\(signs)\"\(json)\"\(signs)\(version)\(gone.isEmpty ? "" : ", gone: [\(names)]"))"
    }
}

extension Declaration {
    /// Reads older models, and looks for members that seem to have another name by now, whose values would be lost.
    func check(_ olderModels: [OlderModel], in trial: Trial) {
        for (index, older) in olderModels.enumerated() {
            let ordinal = "The older model \(index + 1) of \(olderModels.count)"
            trial.begin(.reading(ordinal))
            do throws(ModelUnreadable) {
                let reading = try read(Array(older.json.utf8), storedBy: older.version)
                checkNames(of: reading, but: older.gone, in: ordinal, trial)
                checkOutputs(of: older, ordinal, trial)
            } catch {
                trial.note(.storage, "\(ordinal) cannot be read: \(error).")
            }
        }
    }

    private func checkNames(
        of reading: ModelReading, but gone: Set<String>, in ordinal: String, _ trial: Trial
    ) {
        let missing = Dictionary(grouping: Set(reading.missing), by: \.object)
        let unknown = Set(reading.unknown).filter { !gone.contains(($0.object + [$0.member]).joined(separator: "/")) }
        for (object, unknown) in Dictionary(grouping: unknown, by: \.object) {
            guard let missing = missing[object] else { continue }
            let place = object.isEmpty ? "" : " in \(object.joined(separator: "/"))"
            trial.note(
                .storage,
                "\(ordinal) has\(place) \(Self.list(unknown)), which the model does not know, and lacks "
                    + "\(Self.list(missing)): if that is a new name, the value is lost. Count the model's version up and "
                    + "rename the member in migrate(_:from:). If it is gone on purpose, say so: OlderModel(…, gone: […])."
            )
        }
    }

    private func checkOutputs(of older: OlderModel, _ ordinal: String, _ trial: Trial) {
        guard let life = try? Life(of: self, in: .english, from: Array(older.json.utf8), storedBy: older.version)
        else { return }
        defer { life.changes.close() }
        let sight = life.look(outputs: outputs.indices)
        for (output, value) in zip(outputs, sight.outputs) {
            guard let value else {
                trial.note(.storage, "\(ordinal) is shown with an output \(output.name) that cannot be encoded.")
                continue
            }
            if (try? output.schema.mismatch(inText: value)) != .some(nil) {
                trial.note(
                    .storage, "\(ordinal) is shown with an output \(output.name) of another shape than is declared.")
            }
        }
        guard let model = sight.model, (try? read(model, storedBy: life.hosted.version)) != nil else {
            return trial.note(.storage, "\(ordinal) cannot be read any more once this build has stored it.")
        }
    }

    private static func list(_ places: [ModelReading.Place]) -> String {
        places.map(\.member).sorted().joined(separator: ", ")
    }
}
