import Foundation

/// The kernel's view of a connection's server side.
package enum SocketTable {
    /// Whether the server still has a descriptor of the connection, even if the client has disconnected.
    package static func serverHoldsConnection(serverPort: UInt16, clientPort: UInt16) throws -> Bool {
        // TCP_ESTABLISHED and TCP_CLOSE_WAIT (net/tcp_states.h).
        try columns(serverPort: serverPort, clientPort: clientPort).map { ["01", "08"].contains($0[3]) } ?? false
    }

    /// Whether the server has read all bytes from its client.
    package static func serverHasReadAll(serverPort: UInt16, clientPort: UInt16) throws -> Bool {
        // The column has the unsent and the unread bytes (proc(5)).
        try columns(serverPort: serverPort, clientPort: clientPort)?[4].hasSuffix(":00000000") ?? true
    }

    private static func columns(serverPort: UInt16, clientPort: UInt16) throws -> [Substring]? {
        let table = try String(contentsOfFile: "/proc/net/tcp", encoding: .utf8)
        let local = ":" + hexadecimal(serverPort)
        let remote = ":" + hexadecimal(clientPort)
        return table.split(separator: "\n").dropFirst().lazy.map { $0.split(separator: " ") }.first { columns in
            columns.count > 4 && columns[1].hasSuffix(local) && columns[2].hasSuffix(remote)
        }
    }

    private static func hexadecimal(_ port: UInt16) -> String {
        String(format: "%04X", port)
    }
}
