import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// What changes in a session, as updates, one after the other; see ``RemoteSession/changes(topics:since:over:)``.
///
/// Nothing is missed: a lost connection is opened anew with the cursor of what came before, by the pauses of
/// ``BinderyClient/Options``. Where the server no longer knows the cursor, as after its store was put back, a snapshot comes.
/// What comes while nobody asks is gathered into one update, the newest value of each output.
///
/// The connection is closed when the loop is left or its task cancelled, and nothing is given any more.
public struct RemoteChanges: AsyncSequence, Sendable {
    /// How changes come.
    public enum Carrier: Sendable {
        /// As a stream; as polls for five minutes where a proxy on the way holds two streams back.
        case automatic
        /// As events of one answer (`text/event-stream`).
        case stream
        /// Each as the answer to a request that waits, for proxies that hold streams back.
        case polls
    }

    let session: RemoteSession
    let topics: [String]
    let cursor: RemoteCursor?
    let carrier: Carrier
    var tell: @Sendable (RemoteConnection) -> Void = { _ in }

    /// The same, with somebody who is told when the connection is there, and when it is lost and tried again.
    ///
    /// - Parameter tell: called by whoever asks for the next update, before it sleeps or has it.
    public func onConnection(_ tell: @escaping @Sendable (RemoteConnection) -> Void) -> RemoteChanges {
        var changes = self
        changes.tell = tell
        return changes
    }

    /// Begins to follow, from the sequence's cursor; each iterator by itself.
    public func makeAsyncIterator() -> Iterator { Iterator(self) }

    /// Follows the changes on one connection after the other.
    public struct Iterator: AsyncIteratorProtocol {
        private let changes: RemoteChanges
        private var cursor: RemoteCursor?
        private var patience: Patience
        private var choice: CarrierChoice
        private var line: EventLine?
        private var retry: Duration?
        /// Whether a Bindery server has answered: a page is what a proxy says of a line that is lost, then.
        private var isKnown = false
        private var isTold = false
        /// Whether the server may be another than the one that was asked last.
        private var mayBeAnother = false
        private var isOver = false

        init(_ changes: RemoteChanges) {
            self.changes = changes
            cursor = changes.cursor
            let options = changes.session.client.options
            patience = Patience(options, for: options.changesPatience)
            choice = CarrierChoice(changes.carrier, clock: options.clock)
        }

        /// The next delta or snapshot.
        ///
        /// - Throws: ``RemoteProblem``, as 401 where the session has ended; ``RemoteFailure`` where nobody has answered for
        ///   ``BinderyClient/Options/changesPatience``; `CancellationError`. After that there is nothing more.
        public mutating func next() async throws -> RemoteUpdate? {
            guard !isOver else { return nil }
            do {
                while true {
                    try Task.checkCancellation()
                    if let update = try await attempt() { return update }
                }
            } catch {
                isOver = true
                line = nil
                throw error
            }
        }

        /// - Returns: nil where another attempt is due.
        private mutating func attempt() async throws -> RemoteUpdate? {
            let carrier = line == nil ? choice.next() : .stream
            do {
                let update =
                    carrier == .stream ? try await nextEvent() : try await poll()
                let isNews = mayBeAnother || cursor.map { $0.epoch != update.cursor.epoch } ?? false
                (cursor, isKnown, mayBeAnother) = (update.cursor, true, update.retryAfter != nil)
                // A stream has to live for a while before the next failure counts as the first; an answer to a poll is all it is.
                if carrier == .stream { patience.hear() } else { patience.reset() }
                if !isTold {
                    isTold = true
                    changes.tell(.live(carrier))
                }
                if let pause = update.retryAfter { try await sleep(patience.obeyed(pause)) }
                if update.isSuperseded, let pause = patience.nextPause() { try await sleep(pause) }
                guard update.kind == .idle else { return update }
                return isNews ? update.asDelta : nil
            } catch {
                try await recover(from: error)
                return nil
            }
        }

        /// Leaves the line, and waits until the next may be tried.
        ///
        /// - Throws: the error, where there is to be none.
        private mutating func recover(from error: any Error) async throws {
            let last = line
            line = nil
            (cursor, retry) = (last?.cursor ?? cursor, last?.retry ?? retry)
            if error is Resumptions.Resumed { return patience.reset() }
            // A stream that is held back has had its pause.
            if error is EventLine.HeldBack { return choice.wasHeldBack() }
            if let last, last.hasHeard {
                choice.wasHeard()
                if last.life >= Patience.goodLife { patience.reset() }
            }
            mayBeAnother = isKnown
            guard let pause = patience.pause(after: error, of: .changes(isKnown: isKnown), wish: retry) else {
                throw error
            }
            isTold = false
            changes.tell(.waiting(pause, after: error))
            try await sleep(pause)
        }

        /// Until then, or until the app is back.
        private mutating func sleep(_ pause: Duration) async throws {
            let client = changes.session.client
            do {
                try await client.resumptions.orResumed { try await client.options.clock.sleep(for: pause) }
            } catch is Resumptions.Resumed { patience.reset() }
        }

        /// The first after a loss or a drain does not wait: it may be that only the history is another.
        private func poll() async throws -> RemoteUpdate {
            let (changes, cursor, wait) = (changes, cursor, mayBeAnother ? .zero : Duration.seconds(25))
            return try await changes.session.client.resumptions.orResumed {
                try await changes.session.poll(since: cursor, wait: wait, topics: changes.topics)
            }
        }

        private mutating func nextEvent() async throws -> RemoteUpdate {
            let line: EventLine
            if let open = self.line { line = open } else { line = try await open() }
            self.line = line
            if let update = try await changes.session.client.resumptions.orResumed({ try await line.next() }) {
                return update
            }
            // The server says why, to whoever asks again.
            _ = try await changes.session.cursor()
            throw RemoteFailure(.connectionLost, "The server ended the stream of a session that is there.")
        }

        private func open() async throws -> EventLine {
            let session = changes.session
            var request = session.request("GET", "/changes" + RemoteSession.query(changes.topics))
            request.setValue("text/event-stream", forHTTPHeaderField: "Accept")
            if let cursor { request.setValue(cursor.description, forHTTPHeaderField: "Last-Event-ID") }
            return try await session.client.transport.events(
                of: request, silence: session.client.options.silence,
                firstEvent: changes.carrier == .automatic ? CarrierChoice.firstEvent : nil)
        }
    }
}

/// How it stands with the connection on which changes come.
public enum RemoteConnection: Sendable {
    /// Changes come, as a stream or as answers to polls.
    case live(RemoteChanges.Carrier)
    /// The connection was lost, or never there, and is tried again after a time; what is shown may be old.
    case waiting(Duration, after: any Error)
    /// No change comes any more, as after the session's end.
    case ended(any Error)
}

/// An output's value now, and whenever it changes; a ``RemoteViewModel`` gives it.
public struct RemoteValues<Value: Sendable>: AsyncSequence, Sendable {
    let changes: RemoteChanges
    let value: @Sendable (RemoteUpdate) throws -> Value?

    /// Begins to follow; each iterator by itself.
    public func makeAsyncIterator() -> Iterator { Iterator(updates: changes.makeAsyncIterator(), value: value) }

    /// Follows one output.
    public struct Iterator: AsyncIteratorProtocol {
        fileprivate var updates: RemoteChanges.Iterator
        fileprivate let value: @Sendable (RemoteUpdate) throws -> Value?

        /// The next value.
        ///
        /// - Throws: as ``RemoteChanges/Iterator/next()``; ``RemoteFailure`` where no output is declared so.
        public mutating func next() async throws -> Value? {
            while let update = try await updates.next() {
                if let value = try value(update) { return value }
            }
            return nil
        }
    }
}
