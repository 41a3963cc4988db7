import Locking

/// Where several sequences, each read by a task of its own, flow together to one reader.
///
/// Made for each iteration of a merge or a combination. It ends with its sources, with the first error, with the
/// reader's cancellation, or when the iterator lets go of it; the tasks are cancelled then.
final class Confluence<Element: Sendable, Failure: Error>: Sendable {
    private let core: Core

    /// What the tasks hold, so that they do not keep the Confluence, and with it themselves, alive.
    final class Core: Sendable {
        private let state: Lock<ConfluenceState<Element, Failure>>

        init(sources: Int) {
            state = Lock(ConfluenceState(sources: sources))
        }

        /// Decides under the lock and acts after unlocking.
        func step(
            _ body: (inout ConfluenceState<Element, Failure>) -> ConfluenceState<Element, Failure>.Action
        ) {
            let action = state.withLock { state in body(&state) }
            action()
        }

        /// Sends every element of `source` that `transform` makes into one, until there are no more or nobody receives.
        ///
        /// - Parameter atEnd: called when the source has ended, before it counts as ended.
        func send<Source: AsyncSequence & Sendable>(
            _ source: Source,
            as transform: @Sendable (Source.Element) -> Element?,
            atEnd: @Sendable (Core) async -> Void = { _ in }
        ) async where Source.Failure == Failure {
            do throws(Failure) {
                var iterator = source.makeAsyncIterator()
                while let next = try await iterator.next(isolation: nil) {
                    if let element = transform(next) { await send(element) }
                    guard state.withLock({ $0.isOpen }) else { return }
                }
                await atEnd(self)
                step { $0.finishSource() }
            } catch {
                step { $0.end(.failure(error)) }
            }
        }

        func send(_ element: Element) async {
            await withCheckedContinuation { sender in step { $0.send(element, sender) } }
        }

        func receive(isolation actor: isolated (any Actor)?) async throws(Failure) -> Element? {
            if Task.isCancelled { step { $0.cancel() } }
            let outcome = await withTaskCancellationHandler {
                await withCheckedContinuation(isolation: actor) { receiver in step { $0.receive(receiver) } }
            } onCancel: {
                step { $0.cancel() }
            }
            return try outcome.get()
        }
    }

    /// Starts a task for each source.
    init(_ sources: [@Sendable (Core) async -> Void]) {
        let core = Core(sources: sources.count)
        self.core = core
        let tasks = sources.map { source in Task { await source(core) } }
        core.step { $0.start(tasks) }
    }

    deinit {
        cancel()
    }

    func cancel() {
        core.step { $0.cancel() }
    }

    /// The next element; nil at the end or when the task is cancelled.
    func next(isolation actor: isolated (any Actor)?) async throws(Failure) -> Element? {
        try await core.receive(isolation: actor)
    }
}
