import Events
import Foundation

/// What the kernel knows of this process, under the names that Prometheus's own libraries use.
struct ProcessMeasures: Measured {
    var measures: [Measure] {
        var usage = rusage()
        getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
        let pages = Self.words("/proc/self/statm")
        let page = Double(sysconf(Int32(_SC_PAGESIZE)))
        var limit = rlimit()
        getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        let open = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd"))?.count ?? 0
        return [
            Measure(
                .counter, "process_cpu_seconds_total", "Time on processors, of user and system.",
                Self.seconds(usage.ru_utime) + Self.seconds(usage.ru_stime)),
            Measure(
                .gauge, "process_resident_memory_bytes", "Memory that is in RAM.", (pages.dropFirst().first ?? 0) * page
            ),
            Measure(.gauge, "process_virtual_memory_bytes", "Memory that is mapped.", (pages.first ?? 0) * page),
            Measure(.gauge, "process_open_fds", "Files and sockets that are open.", open),
            Measure(.gauge, "process_max_fds", "Files and sockets that may be open.", Double(limit.rlim_cur)),
            Measure(.gauge, "process_threads", "Threads.", Self.threads),
            Measure(.gauge, "process_start_time_seconds", "When the process began, in seconds since 1970.", Self.start),
        ]
    }

    private static func seconds(_ time: timeval) -> Double { Double(time.tv_sec) + Double(time.tv_usec) / 1e6 }

    private static func words(_ path: String) -> [Double] {
        let text = (try? String(contentsOfFile: path, encoding: .utf8)) ?? ""
        return text.split(whereSeparator: \.isWhitespace).compactMap { Double($0) }
    }

    /// Behind the program's name in parentheses, proc_pid_stat(5) counts from the third field.
    private static func field(_ number: Int) -> Double? {
        guard let text = try? String(contentsOfFile: "/proc/self/stat", encoding: .utf8),
            let end = text.lastIndex(of: ")")
        else { return nil }
        let fields = text[text.index(after: end)...].split(separator: " ")
        return fields.indices.contains(number - 3) ? Double(fields[number - 3]) : nil
    }

    private static var threads: Double { field(20) ?? 0 }

    /// The kernel tells it in ticks since the machine began.
    private static let start: Double = {
        var (now, up) = (timespec(), timespec())
        clock_gettime(CLOCK_REALTIME, &now)
        clock_gettime(CLOCK_BOOTTIME, &up)
        let boot = Double(now.tv_sec - up.tv_sec)
        return boot + (field(22) ?? 0) / Double(sysconf(Int32(_SC_CLK_TCK)))
    }()
}
