/// What the simulator is asked to do.
struct Options {
    /// A fault of the store instead of its contract.
    enum StoreFault: String, CaseIterable {
        /// Compares the number of the version alone, so that it stores what stands on another commit of that number.
        case position
        /// Brings ends forward.
        case touch
        /// Is put back to an older copy of itself and keeps its incarnation.
        case quietRewind = "quiet-rewind"
    }

    var first: UInt64 = 1
    var count = 1000
    var isVerbose = false
    var storeFault: StoreFault?

    static let usage = """
        usage: simulate [--seeds N] [--from S] [--seed S] [--store-fault FAULT]
          --seeds N            runs N seeds, 1000 where nothing is said, and stops at the first that fails
          --from S             begins with the seed S instead of 1
          --seed S             runs one seed and prints its history
          --store-fault FAULT  the store does what it must not: \(StoreFault.allCases.map(\.rawValue).joined(separator: ", "))
        """

    /// - Returns: nil where they are not to be understood.
    init?(_ arguments: [String]) {
        var rest = arguments[...]
        while let option = rest.popFirst() {
            switch option {
            case "--seeds", "--from", "--seed":
                guard let number = rest.popFirst().flatMap({ UInt64($0) }) else { return nil }
                if option == "--seeds" { count = Int(clamping: number) } else { first = number }
                if option == "--seed" { (count, isVerbose) = (1, true) }
            case "--store-fault":
                guard let fault = rest.popFirst().flatMap({ StoreFault(rawValue: $0) }) else { return nil }
                storeFault = fault
            default: return nil
            }
        }
    }
}
