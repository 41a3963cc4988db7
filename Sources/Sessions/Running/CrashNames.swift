import CCrash

/// What the line of a crash says of a session's view models: whose code the thread runs.
struct CrashNames: Sendable {
    typealias Text = UnsafePointer<CChar>

    /// The public id of the session: 15 characters and a zero.
    private let session: (UInt64, UInt64)

    init(of id: SessionID) {
        var session: (UInt64, UInt64) = (0, 0)
        withUnsafeMutableBytes(of: &session) { $0.copyBytes(from: id.publicID.utf8.prefix($0.count - 1)) }
        self.session = session
    }

    /// Runs code of a view model, on this thread: of an action, where one is named.
    ///
    /// - Parameters: texts that live as long as the process.
    func running<Result, Failure: Error>(
        _ viewModel: Text?, _ action: Text? = nil, _ code: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        let former = crash_set_code(crash_code(view_model: viewModel, action: action, session: session))
        defer { _ = crash_set_code(former) }
        return try code()
    }
}

/// Runs the jobs of an `async` action on threads of actions, each of them named (SE-0417).
final class NamingExecutor: TaskExecutor {
    private let names: CrashNames
    // Safe: they live as long as the process, and are never written again.
    nonisolated(unsafe) private let viewModel: CrashNames.Text?
    nonisolated(unsafe) private let action: CrashNames.Text?
    private let enqueue: @Sendable (@escaping @Sendable () -> Void) -> Void

    init(
        _ names: CrashNames, _ viewModel: CrashNames.Text?, _ action: CrashNames.Text?,
        on enqueue: @escaping @Sendable (@escaping @Sendable () -> Void) -> Void
    ) {
        (self.names, self.viewModel, self.action, self.enqueue) = (names, viewModel, action, enqueue)
    }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        enqueue { [self] in
            names.running(viewModel, action) { job.runSynchronously(on: asUnownedTaskExecutor()) }
        }
    }
}
