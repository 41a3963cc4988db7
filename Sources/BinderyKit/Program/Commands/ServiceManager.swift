import Foundation
import Service

/// What a service manager such as systemd hands to a service, and is told by it: sockets (sd_listen_fds(3)), readiness and the
/// watchdog (sd_notify(3), sd_watchdog_enabled(3)).
///
/// By hand: it is three environment variables and a datagram, which systemd promises to keep as they are
/// (systemd.io/PORTABILITY_AND_STABILITY), and no library of systemd has to be there.
struct ServiceManager {
    /// The first that is handed over.
    private static let firstDescriptor: Int32 = 3

    /// Sockets that listen already, by the names that the manager gives them.
    let sockets: [(name: String, descriptor: Int32)]
    /// Where it is told of the service; a path, or a name that begins with an at sign.
    private let notifySocket: String?
    /// After how long without a word of the service it takes it for dead; nil where it does not watch.
    let watchdog: Duration?

    /// Reads the environment; what is meant for another process is left alone.
    init(_ environment: [String: String], process: Int32 = getpid()) {
        let isOurs = environment["LISTEN_PID"].flatMap { Int32($0) } == process
        let count = isOurs ? environment["LISTEN_FDS"].flatMap { Int32($0) } ?? 0 : 0
        let names = (environment["LISTEN_FDNAMES"] ?? "").split(separator: ":", omittingEmptySubsequences: false)
        sockets = (0..<max(0, count)).map { place in
            let name = names.indices.contains(Int(place)) ? String(names[Int(place)]) : ""
            return (name, Self.firstDescriptor + place)
        }
        notifySocket = environment["NOTIFY_SOCKET"]
        let isWatched = environment["WATCHDOG_PID"].map { Int32($0) == process } ?? true
        watchdog =
            isWatched ? environment["WATCHDOG_USEC"].flatMap { Int64($0) }.map { .microseconds($0) } : nil
    }

    /// Gives the sockets to a server: the one that is named `admin` to operators, if they may ask, another to everybody.
    ///
    /// - Throws: ``UsageError`` where one is of no IP address, or there is another of its kind: whoever connected to that would
    ///   wait for ever.
    func handOver(to options: inout BinderyServer.Options) throws {
        for (name, descriptor) in sockets {
            guard (name == "admin" ? options.adminSocket : options.socket) == nil else {
                let kind = name == "admin" ? "named admin" : "to serve on"
                throw UsageError(
                    "was handed more than one socket \(kind); one is served, and one named admin beside it")
            }
            guard let address = Self.address(of: descriptor) else {
                throw UsageError(
                    "was handed a socket, \(name.isEmpty ? "without a name" : name), that is not of an IP address")
            }
            if name == "admin" {
                (options.admin, options.adminSocket) = (address, descriptor)
            } else {
                (options.host, options.port, options.socket) = (address.host, address.port, descriptor)
            }
        }
    }

    /// Tells the manager, where there is one: of several lines, each a name and a value.
    func tell(_ state: String) {
        guard let notifySocket else { return }
        var bytes = Array(notifySocket.utf8)
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

    /// Tells it again and again that the service lives, as long as it answers; until the task is cancelled.
    func keepTelling(while isAlive: () -> Bool) async {
        guard let watchdog else { return }
        repeat {
            if isAlive() { tell("WATCHDOG=1") }
        } while (try? await Task.sleep(for: watchdog / 2)) != nil
    }

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
        guard isKnown, let number = UInt16(Self.string(port)) else { return nil }
        return BinderyServer.Options.Address(host: Self.string(text), port: number)
    }

    private static func string(_ text: [CChar]) -> String {
        String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}
