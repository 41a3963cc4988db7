import Foundation
import Glibc
import Locking
import TestSupport

/// A proxy on TCP between a client and a server, as bad as a test wants it: it cuts, holds up and refuses.
///
/// Each direction of a connection is a thread that blocks.
final class BadLine: Sendable {
    private struct State {
        /// How many bytes of answers each next connection lets through before it is cut off; of none, not before there is one.
        var budgets: [Int] = []
        var isRefusing = false
        var open: Set<Int32> = []
        var accepted = 0
    }

    private let listener: LoopbackSocket
    private let server: UInt16
    private let state = Lock(State())
    let url: URL

    init(to server: URL) throws {
        listener = try LoopbackSocket()
        try listener.listen(backlog: 64)
        guard let url = URL(string: "http://127.0.0.1:\(listener.port)"), let port = server.port else {
            throw URLError(.badURL)
        }
        (self.url, self.server) = (url, UInt16(port))
        Self.thread { [listener, weak self] in
            while true {
                let client = accept(listener.descriptor, nil, nil)
                guard client >= 0, let self else { return }
                carry(client)
            }
        }
    }

    deinit {
        cut()
        // Ends the thread that accepts.
        shutdown(listener.descriptor, Int32(SHUT_RDWR))
    }

    /// How many connections have come.
    var accepted: Int { state.withLock { $0.accepted } }

    /// Has each of the next connections cut off after so many bytes of answers.
    func cutNext(after bytes: [Int]) { state.withLock { $0.budgets += bytes } }

    /// Whether whoever comes is closed at once.
    var isRefusing: Bool {
        get { state.withLock { $0.isRefusing } }
        set { state.withLock { $0.isRefusing = newValue } }
    }

    /// Cuts off all connections.
    func cut() { state.withLock { for socket in $0.open { shutdown(socket, Int32(SHUT_RDWR)) } } }

    private func carry(_ client: Int32) {
        let upstream = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = server.bigEndian
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        let isConnected = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(upstream, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
            }
        }
        let budget: Int? = state.withLock { state in
            state.accepted += 1
            guard isConnected, !state.isRefusing else { return nil }
            state.open.formUnion([client, upstream])
            return state.budgets.isEmpty ? Int.max : state.budgets.removeFirst()
        }
        guard let budget else {
            close(client)
            close(upstream)
            return
        }
        // Both sockets are closed when both directions are over.
        let left = Lock(2)
        for (from, to, budget) in [(client, upstream, Int.max), (upstream, client, budget)] {
            Self.thread { [weak self] in
                Self.copy(from, to, budget)
                for socket in [client, upstream] { shutdown(socket, Int32(SHUT_RDWR)) }
                let isLast = left.withLock { left in
                    left -= 1
                    return left == 0
                }
                guard isLast else { return }
                // Not closed while anybody may still cut it: the number may be another's then.
                if let self {
                    self.state.withLock { state in
                        state.open.subtract([client, upstream])
                        for socket in [client, upstream] { close(socket) }
                    }
                } else {
                    for socket in [client, upstream] { close(socket) }
                }
            }
        }
    }

    private static func copy(_ from: Int32, _ to: Int32, _ budget: Int) {
        var bytes = [UInt8](repeating: 0, count: 16 << 10)
        // The answer is made, and lost whole.
        guard budget > 0 else { return _ = recv(from, &bytes, bytes.count, 0) }
        var left = budget
        while left > 0 {
            let count = recv(from, &bytes, min(bytes.count, left), 0)
            guard count > 0, send(to, bytes, count, Int32(MSG_NOSIGNAL)) == count else { return }
            left -= count
        }
    }

    private static func thread(_ body: @escaping @Sendable () -> Void) {
        let thread = Thread(block: body)
        thread.stackSize = 128 << 10
        thread.start()
    }
}
