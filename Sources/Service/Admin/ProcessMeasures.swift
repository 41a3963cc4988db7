import Events
import Foundation

/// The kernel's numbers about this process, under the names of Prometheus's own libraries.
struct ProcessMeasures: Measured {
    /// In seconds since 1970: the process makes this when it starts to serve.
    private let start = Date().timeIntervalSince1970

    var measures: [Measure] {
        var usage = rusage()
        getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
        var limit = rlimit()
        getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        return [
            Measure(
                .counter, "process_cpu_seconds_total", "Time on processors, of user and system.",
                Self.seconds(usage.ru_utime) + Self.seconds(usage.ru_stime)),
            Measure(.gauge, "process_resident_memory_bytes", "Memory in RAM.", Self.samples(Self.residentBytes)),
            Measure(.gauge, "process_open_fds", "Open files and sockets.", Self.samples(Self.openDescriptors)),
            Measure(.gauge, "process_max_fds", "The limit of open files and sockets.", Double(limit.rlim_cur)),
            Measure(.gauge, "process_start_time_seconds", "The start of the server, in seconds since 1970.", start),
        ]
    }

    private static func seconds(_ time: timeval) -> Double { Double(time.tv_sec) + Double(time.tv_usec) / 1e6 }

    /// None where the process has no descriptor left to read /proc.
    private static func samples(_ number: Int?) -> [Measure.Sample] {
        number.map { [Measure.Sample([], Double($0))] } ?? []
    }

    /// The second field of proc_pid_statm(5) counts pages.
    private static var residentBytes: Int? {
        let fields = try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8).split(separator: " ")
        return fields?.dropFirst().first.flatMap { Int($0) }.map { $0 * sysconf(Int32(_SC_PAGESIZE)) }
    }

    private static var openDescriptors: Int? {
        try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count
    }
}
