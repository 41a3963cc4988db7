/// Durations, counted by how long they were.
///
/// The bounds are those of most dashboards, from half a millisecond to half a minute.
package struct Histogram: Sendable {
    /// In microseconds; longer times count as endless.
    private static let bounds = [
        500, 1000, 2500, 5000, 10_000, 25_000, 50_000, 100_000, 250_000, 500_000, 1_000_000, 2_500_000, 5_000_000,
        10_000_000, 30_000_000,
    ]

    private var counts = [Int](repeating: 0, count: bounds.count + 1)
    private var sum = 0

    package init() {}

    /// Counts one.
    package mutating func add(microseconds: Int) {
        var place = 0
        while place < Self.bounds.count, microseconds > Self.bounds[place] { place += 1 }
        counts[place] += 1
        sum += microseconds
    }

    /// As Prometheus wants it: how many were no longer than each bound, their sum, and their number.
    package func samples(_ labels: [Measure.Label] = []) -> [Measure.Sample] {
        var total = 0
        var samples: [Measure.Sample] = []
        for (place, count) in counts.enumerated() {
            total += count
            let bound = place < Self.bounds.count ? "\(Double(Self.bounds[place]) / 1e6)" : "+Inf"
            samples.append(Measure.Sample(labels + [Measure.Label("le", bound)], Double(total), suffix: "_bucket"))
        }
        samples.append(Measure.Sample(labels, Double(sum) / 1e6, suffix: "_sum"))
        samples.append(Measure.Sample(labels, Double(total), suffix: "_count"))
        return samples
    }
}
