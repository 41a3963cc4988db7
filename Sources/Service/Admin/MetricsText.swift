import Events

/// Measures in the text format of Prometheus (prometheus.io, "Exposition formats", version 0.0.4).
struct MetricsText {
    static let contentType = "text/plain; version=0.0.4; charset=utf-8"

    private(set) var bytes: [UInt8] = []

    /// Writes measures down; those of one name have to stand beside each other.
    init(_ measures: [Measure]) {
        for measure in measures where !measure.samples.isEmpty {
            append("# HELP \(measure.name) \(measure.help)\n# TYPE \(measure.name) \(measure.kind.rawValue)\n")
            for sample in measure.samples { append(sample, of: measure) }
        }
    }

    private mutating func append(_ sample: Measure.Sample, of measure: Measure) {
        append(measure.name + sample.suffix)
        if !sample.labels.isEmpty {
            append("{\(sample.labels.map { "\($0.name)=\"\(Self.escaped($0.value))\"" }.joined(separator: ","))}")
        }
        append(" \(Self.number(sample.value))\n")
    }

    /// Whole numbers as such.
    private static func number(_ value: Double) -> String {
        value.magnitude < 1e15 && value == value.rounded() ? "\(Int(value))" : "\(value)"
    }

    private static func escaped(_ text: String) -> String {
        text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"").replacing("\n", with: "\\n")
    }

    private mutating func append(_ text: String) { bytes += text.utf8 }
}
