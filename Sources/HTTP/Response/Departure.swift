/// How a client goes before it has its answer.
public enum Departure: Sendable {
    /// It will send no more, and perhaps still reads: an answer that is given now may reach it.
    case halfClosed
    /// It has left, or the server stops: what is answered now is read by nobody.
    case gone
}
