/// Numbers of one kind that an operator may want to watch: a metric family, in the words of Prometheus.
///
/// The name begins with `bindery_` or `process_`, says the unit in full (`_seconds`, `_bytes`), and ends with `_total` where it
/// only grows (prometheus.io, "Metric and label naming").
package struct Measure: Sendable, Equatable {
    /// How the numbers behave.
    package enum Kind: String, Sendable {
        /// They only grow, from 0 at the start of the process.
        case counter
        /// They rise and fall.
        case gauge
        /// They count durations by their length.
        case histogram
    }

    /// One number, and what of.
    package struct Sample: Sendable, Equatable {
        /// The end of the name, as `_sum` of a histogram; usually empty.
        package let suffix: String
        /// The labels within the family: a few, and no client chooses their values.
        package let labels: [Label]
        /// The number.
        package let value: Double

        /// Describes a number.
        package init(_ labels: [Label] = [], _ value: Double, suffix: String = "") {
            (self.labels, self.value, self.suffix) = (labels, value, suffix)
        }
    }

    /// A name and a value.
    package struct Label: Sendable, Equatable {
        /// The name.
        package let name: String
        /// The value.
        package let value: String

        /// Makes a label.
        package init(_ name: String, _ value: String) { (self.name, self.value) = (name, value) }
    }

    /// How the numbers behave.
    package let kind: Kind
    /// What they are called.
    package let name: String
    /// The meaning, in one sentence.
    package let help: String
    /// The numbers.
    package let samples: [Sample]

    /// Describes several numbers.
    package init(_ kind: Kind, _ name: String, _ help: String, _ samples: [Sample]) {
        (self.kind, self.name, self.help, self.samples) = (kind, name, help, samples)
    }

    /// Describes one number.
    package init(_ kind: Kind, _ name: String, _ help: String, _ value: some BinaryInteger) {
        self.init(kind, name, help, Double(value))
    }

    /// Describes one number.
    package init(_ kind: Kind, _ name: String, _ help: String, _ value: Double) {
        self.init(kind, name, help, [Sample([], value)])
    }

    /// Describes numbers that one label tells apart.
    ///
    /// - Parameter values: by the label's value.
    package init(_ kind: Kind, _ name: String, _ help: String, by label: String, _ values: KeyValuePairs<String, Int>) {
        self.init(kind, name, help, values.map { Sample([Label(label, $0.key)], Double($0.value)) })
    }
}

/// Something that can be watched.
package protocol Measured: Sendable {
    /// How it stands now. From any thread; it may look through all there is, but must not wait for anything that may hang.
    var measures: [Measure] { get }
}
