import Events
import Foundation
import Locking

/// The kernel's numbers about this process, under the names of Prometheus's own libraries.
///
/// The files of /proc stay open: a process without a free descriptor could not open them.
final class ProcessMeasures: Measured {
    private let statm = open("/proc/self/statm", O_RDONLY | O_CLOEXEC)
    // Safe: read under the lock alone. A directory stream has one position, which all readers share.
    private nonisolated(unsafe) let descriptors = opendir("/proc/self/fd")
    private let reading = Lock(())
    /// In seconds since 1970: the process makes this when it starts to serve.
    private let start = Date().timeIntervalSince1970

    deinit {
        close(statm)
        if let descriptors { closedir(descriptors) }
    }

    var measures: [Measure] {
        var usage = rusage()
        getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
        var limit = rlimit()
        getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        return [
            Measure(
                .counter, "process_cpu_seconds_total", "Time on processors, of user and system.",
                Self.seconds(usage.ru_utime) + Self.seconds(usage.ru_stime)),
            Measure(.gauge, "process_resident_memory_bytes", "Memory in RAM.", residentBytes),
            Measure(.gauge, "process_open_fds", "Open files and sockets.", openDescriptors),
            Measure(.gauge, "process_max_fds", "The limit of open files and sockets.", Double(limit.rlim_cur)),
            Measure(.gauge, "process_start_time_seconds", "The start of the server, in seconds since 1970.", start),
        ]
    }

    private static func seconds(_ time: timeval) -> Double { Double(time.tv_sec) + Double(time.tv_usec) / 1e6 }

    /// The second field of proc_pid_statm(5) counts pages.
    private var residentBytes: Int {
        let text = withUnsafeTemporaryAllocation(byteCount: 256, alignment: 1) { buffer in
            String(decoding: buffer.prefix(max(0, pread(statm, buffer.baseAddress, buffer.count, 0))), as: UTF8.self)
        }
        return (text.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0) * sysconf(Int32(_SC_PAGESIZE))
    }

    private var openDescriptors: Int {
        guard let descriptors else { return 0 }
        return reading.withLock { _ in
            rewinddir(descriptors)
            var count = 0
            while readdir(descriptors) != nil { count += 1 }
            // Without `.` and `..`.
            return max(0, count - 2)
        }
    }
}
