extension LapTimer {
    /// A time as it is shown, `mm:ss.t`, never rounded up.
    static func text(_ milliseconds: Int) -> String {
        let tenths = milliseconds / 100
        return "\(padded(tenths / 600)):\(padded(tenths / 10 % 60)).\(tenths % 10)"
    }

    private static func padded(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
}
