import Foundation

/// The kernel's view of a connection's server side.
package enum SocketTable {
    /// Whether the server still holds a descriptor of the connection: an open socket, or one whose client has left.
    package static func serverHoldsConnection(serverPort: UInt16, clientPort: UInt16) throws -> Bool {
        let table = try String(contentsOfFile: "/proc/net/tcp", encoding: .utf8)
        let local = ":" + hexadecimal(serverPort)
        let remote = ":" + hexadecimal(clientPort)
        let established = "01"
        let closeWait = "08"
        return table.split(separator: "\n").dropFirst().contains { line in
            let columns = line.split(separator: " ")
            guard columns.count > 3, columns[1].hasSuffix(local), columns[2].hasSuffix(remote) else { return false }
            return columns[3] == established || columns[3] == closeWait
        }
    }

    private static func hexadecimal(_ port: UInt16) -> String {
        String(format: "%04X", port)
    }
}
