extension AsyncSequence {
    /// Leaves out the first `count` elements: the standard library's `dropFirst`, by the name that Rx gives it.
    ///
    /// `variable.values.skip(1)` is the changes without the current value.
    public func skip(_ count: Int) -> AsyncDropFirstSequence<Self> {
        dropFirst(count)
    }
}
