import Foundation
import Service

/// The interface to a service manager such as systemd: sockets (sd_listen_fds(3)), readiness and the watchdog (sd_notify(3),
/// sd_watchdog_enabled(3)).
///
/// It is a few environment variables and a datagram. systemd promises to keep them (systemd.io/PORTABILITY_AND_STABILITY), so
/// no library is needed.
struct ServiceManager {
    /// The first descriptor that is handed over.
    private static let firstDescriptor: Int32 = 3

    private let environment: [String: String]

    init(_ environment: [String: String]) { self.environment = environment }

    /// Whether a variable names this process; nil where there is no variable.
    private func isMeant(_ variable: String) -> Bool? { environment[variable].map { Int32($0) == getpid() } }

    /// Gives the sockets to a server: the one named `admin` to operators, another one to everybody.
    ///
    /// - Throws: ``CommandFailure`` for a second socket of a kind, whose clients would wait for ever, and for one without
    ///   an IP address.
    func handOver(to options: inout BinderyServer.Options) throws {
        let count = isMeant("LISTEN_PID") == true ? environment["LISTEN_FDS"].flatMap { Int32($0) } ?? 0 : 0
        let names = (environment["LISTEN_FDNAMES"] ?? "").split(separator: ":", omittingEmptySubsequences: false)
        for place in 0..<max(0, count) {
            let descriptor = Self.firstDescriptor + place
            let isAdmin = names.indices.contains(Int(place)) && names[Int(place)] == "admin"
            guard (isAdmin ? options.adminSocket : options.socket) == nil else {
                throw CommandFailure(
                    "was handed more than one socket \(isAdmin ? "named admin" : "to serve on"); hand over one, and one "
                        + "named admin beside it")
            }
            guard let address = Self.address(of: descriptor) else {
                throw CommandFailure("was handed a socket that does not listen on an IP address")
            }
            if isAdmin {
                (options.admin, options.adminSocket) = (address, descriptor)
            } else {
                (options.host, options.port, options.socket) = (address.host, address.port, descriptor)
            }
        }
    }

    /// Tells the manager, if there is one: lines of a name and a value.
    func tell(_ state: String) {
        guard let path = environment["NOTIFY_SOCKET"] else { return }
        var bytes = Array(path.utf8)
        // A name that is no path begins with a zero byte (unix(7)).
        if bytes.first == UInt8(ascii: "@") { bytes[0] = 0 }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        guard bytes.count < MemoryLayout.size(ofValue: address.sun_path) else { return }
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
        let length = socklen_t(MemoryLayout<sa_family_t>.size + bytes.count)
        let socket = Glibc.socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard socket >= 0 else { return }
        defer { close(socket) }
        _ = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                sendto(socket, state, state.utf8.count, Int32(MSG_NOSIGNAL), $0, length)
            }
        }
    }

    /// Tells it twice in each period of its watchdog that the server answers, until the task is cancelled.
    func keepTelling(while isAlive: () -> Bool) async {
        guard isMeant("WATCHDOG_PID") ?? true, let time = environment["WATCHDOG_USEC"].flatMap({ Int64($0) }) else {
            return
        }
        repeat {
            if isAlive() { tell("WATCHDOG=1") }
        } while (try? await Task.sleep(for: .microseconds(time / 2))) != nil
    }

    /// The address at which a socket listens; nil for no IP address.
    private static func address(of descriptor: Int32) -> BinderyServer.Options.Address? {
        var storage = sockaddr_storage()
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        var text = [CChar](repeating: 0, count: Int(NI_MAXHOST))
        var port = [CChar](repeating: 0, count: 32)
        let isKnown = withUnsafeMutablePointer(to: &storage) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                getsockname(descriptor, address, &length) == 0
                    && [AF_INET, AF_INET6].contains(Int32(address.pointee.sa_family))
                    && getnameinfo(
                        address, length, &text, socklen_t(text.count), &port, socklen_t(port.count),
                        NI_NUMERICHOST | NI_NUMERICSERV) == 0
            }
        }
        guard isKnown, let number = UInt16(string(port)) else { return nil }
        return BinderyServer.Options.Address(host: string(text), port: number)
    }

    private static func string(_ text: [CChar]) -> String {
        String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}
