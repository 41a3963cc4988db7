import TestSupport

/// Runs a test with a port that is bound, and perhaps listened on, but never accepted from.
func withSilentPort(isListening: Bool, _ test: (UInt16) throws -> Void) throws {
    let socket = try LoopbackSocket()
    if isListening { try socket.listen(backlog: 1) }
    try withExtendedLifetime(socket) { try test(socket.port) }
}
