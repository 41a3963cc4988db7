import Events

/// Measures in the text format of Prometheus (prometheus.io, "Exposition formats", version 0.0.4).
enum MetricsText {
    static let contentType = "text/plain; version=0.0.4; charset=utf-8"

    /// The text of measures; a measure without numbers is left out.
    static func text(of measures: [Measure]) -> [UInt8] {
        var text = ""
        for measure in measures where !measure.samples.isEmpty {
            text += "# HELP \(measure.name) \(measure.help)\n# TYPE \(measure.name) \(measure.kind.rawValue)\n"
            for sample in measure.samples {
                let labels = sample.labels.map { "\($0.name)=\"\(escaped($0.value))\"" }.joined(separator: ",")
                let name = measure.name + sample.suffix + (labels.isEmpty ? "" : "{\(labels)}")
                text += "\(name) \(number(sample.value))\n"
            }
        }
        return Array(text.utf8)
    }

    /// A whole number has no fraction.
    private static func number(_ value: Double) -> String {
        value.magnitude < 1e15 && value == value.rounded() ? "\(Int(value))" : "\(value)"
    }

    private static func escaped(_ text: String) -> String {
        text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"").replacing("\n", with: "\\n")
    }
}
