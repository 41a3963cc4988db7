/// A handler holds an event loop: what a log says so that its operator knows whom to look at.
///
/// Told once each time, when the handler has held the loop for ``ServerLimits/heldAfter``. The other connections of that
/// loop wait for it. No new one comes to it until it is free, as long as there is another loop that is.
public struct HeldLoop: Sendable, Hashable {
    /// Which loop it is, counted from 1.
    public let number: Int
    /// How many loops there are.
    public let loops: Int
    /// The method of the handler's route.
    public let method: Method
    /// The template of the handler's route.
    public let route: String

    /// Describes a loop that is held, as a test of an ``ExchangeLog`` does.
    public init(number: Int, of loops: Int, method: Method, route: String) {
        self.number = number
        self.loops = loops
        self.method = method
        self.route = route
    }
}
