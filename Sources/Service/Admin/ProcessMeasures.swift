import Events
import Foundation
import Locking

/// What the kernel knows of this process, under the names that Prometheus's own libraries use.
///
/// The files of /proc are kept open: asked for where no descriptor is free, each of them would else say nothing, just then.
final class ProcessMeasures: Measured {
    private let statm = KeptFile("/proc/self/statm")
    private let stat = KeptFile("/proc/self/stat")
    private let descriptors = KeptDirectory("/proc/self/fd")
    /// In seconds since 1970.
    private let start: Double

    init() {
        // The kernel tells it in ticks since the machine began.
        var (now, up) = (timespec(), timespec())
        clock_gettime(CLOCK_REALTIME, &now)
        clock_gettime(CLOCK_BOOTTIME, &up)
        let boot = Double(now.tv_sec - up.tv_sec)
        start = boot + (Self.field(22, of: stat.text) ?? 0) / Double(sysconf(Int32(_SC_CLK_TCK)))
    }

    var measures: [Measure] {
        var usage = rusage()
        getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
        let pages = statm.text.split(whereSeparator: \.isWhitespace).compactMap { Double($0) }
        let page = Double(sysconf(Int32(_SC_PAGESIZE)))
        var limit = rlimit()
        getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        return [
            Measure(
                .counter, "process_cpu_seconds_total", "Time on processors, of user and system.",
                Self.seconds(usage.ru_utime) + Self.seconds(usage.ru_stime)),
            Measure(
                .gauge, "process_resident_memory_bytes", "Memory that is in RAM.", (pages.dropFirst().first ?? 0) * page
            ),
            Measure(.gauge, "process_virtual_memory_bytes", "Memory that is mapped.", (pages.first ?? 0) * page),
            Measure(.gauge, "process_open_fds", "Files and sockets that are open.", descriptors.count),
            Measure(.gauge, "process_max_fds", "Files and sockets that may be open.", Double(limit.rlim_cur)),
            Measure(.gauge, "process_threads", "Threads.", Self.field(20, of: stat.text) ?? 0),
            Measure(.gauge, "process_start_time_seconds", "When the process began, in seconds since 1970.", start),
        ]
    }

    private static func seconds(_ time: timeval) -> Double { Double(time.tv_sec) + Double(time.tv_usec) / 1e6 }

    /// Behind the program's name in parentheses, proc_pid_stat(5) counts from the third field.
    private static func field(_ number: Int, of text: String) -> Double? {
        guard let end = text.lastIndex(of: ")") else { return nil }
        let fields = text[text.index(after: end)...].split(separator: " ")
        return fields.indices.contains(number - 3) ? Double(fields[number - 3]) : nil
    }
}

/// A short file of /proc, which says anew how things are each time it is read from its beginning.
private final class KeptFile: Sendable {
    private let descriptor: Int32

    init(_ path: String) { descriptor = open(path, O_RDONLY | O_CLOEXEC) }

    deinit { close(descriptor) }

    /// Empty where it could not be opened.
    var text: String {
        withUnsafeTemporaryAllocation(byteCount: 4096, alignment: 1) { buffer in
            let count = pread(descriptor, buffer.baseAddress, buffer.count, 0)
            return String(decoding: buffer.prefix(max(0, count)), as: UTF8.self)
        }
    }
}

/// A directory of /proc.
private final class KeptDirectory: Sendable {
    // Safe: read under the lock, since it has one place that all readers would share.
    nonisolated(unsafe) private let stream: OpaquePointer?
    private let reading = Lock(())

    init(_ path: String) { stream = opendir(path) }

    deinit { if let stream { closedir(stream) } }

    /// How many entries it has, but for `.` and `..`; 0 where it could not be opened.
    var count: Int {
        guard let stream else { return 0 }
        return reading.withLock { _ in
            rewinddir(stream)
            var count = 0
            while readdir(stream) != nil { count += 1 }
            return max(0, count - 2)
        }
    }
}
