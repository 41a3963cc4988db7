import Sessions

extension InitialDigests {
    /// The digests as they are stored, four bytes each, the highest first.
    var column: [UInt8] {
        digests.flatMap { digest in [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: digest >> $0) } }
    }

    /// Reads what ``column`` wrote, nothing being what is not known.
    init(column: [UInt8]) {
        self.init(
            digests: stride(from: 0, to: column.count - column.count % 4, by: 4).map { start in
                column[start..<start + 4].reduce(0) { $0 << 8 | UInt32($1) }
            })
    }
}
