/// The rules by which several senders pass elements to one receiver, as a pure state machine.
///
/// Each step returns what to do after unlocking. A sender waits until its element is taken, so that nothing is read
/// ahead of the receiver but one element of each source. Elements come in the order in which they were sent.
struct ConfluenceState<Element: Sendable, Failure: Error> {
    typealias Outcome = Result<Element?, Failure>
    typealias Sender = CheckedContinuation<Void, Never>
    typealias Receiver = CheckedContinuation<Outcome, Never>

    private var queue: [(element: Element, sender: Sender)] = []
    private var receiver: Receiver?
    /// What the receiver is told once the queue is empty; after a failure, that it is at its end.
    private var ending: Outcome?
    private var openSources: Int
    private var tasks: [Task<Void, Never>] = []

    init(sources: Int) {
        openSources = sources
    }

    /// What a step leaves to do.
    struct Action {
        var receiver: (Receiver, Outcome)?
        var senders: [Sender] = []
        var tasks: [Task<Void, Never>] = []
        /// Released after unlocking, since the deinit of a class may do anything.
        var dropped: [Element] = []

        func callAsFunction() {
            for task in tasks { task.cancel() }
            for sender in senders { sender.resume() }
            if let (receiver, outcome) = receiver { receiver.resume(returning: outcome) }
        }
    }

    /// Keeps the tasks that send, to be cancelled at the end.
    mutating func start(_ new: [Task<Void, Never>]) -> Action {
        if ending != nil { return Action(tasks: new) }
        tasks = new
        return Action()
    }

    /// Whether a sender should go on.
    var isOpen: Bool { ending == nil }

    mutating func send(_ element: Element, _ sender: Sender) -> Action {
        guard isOpen else { return Action(senders: [sender], dropped: [element]) }
        if let receiver = receiver.take() { return Action(receiver: (receiver, .success(element)), senders: [sender]) }
        queue.append((element, sender))
        return Action()
    }

    mutating func receive(_ new: Receiver) -> Action {
        if !queue.isEmpty {
            let (element, sender) = queue.removeFirst()
            return Action(receiver: (new, .success(element)), senders: [sender])
        }
        if let outcome = takeEnding() { return Action(receiver: (new, outcome)) }
        // An iterator must not be asked twice at once; the earlier request gets the end.
        let superseded = receiver.map { ($0, Outcome.success(nil)) }
        receiver = new
        return Action(receiver: superseded)
    }

    /// A source came to its end; the last one ends it all.
    mutating func finishSource() -> Action {
        openSources -= 1
        return openSources == 0 ? end(.success(nil)) : Action()
    }

    /// Ends it all, after what was sent before.
    mutating func end(_ outcome: Outcome) -> Action {
        guard isOpen else { return Action() }
        ending = outcome
        defer { tasks = [] }
        guard queue.isEmpty, let receiver = receiver.take(), let outcome = takeEnding() else {
            return Action(tasks: tasks)
        }
        return Action(receiver: (receiver, outcome), tasks: tasks)
    }

    /// Ends it all at once: nobody receives any more.
    mutating func cancel() -> Action {
        var action = end(.success(nil))
        ending = .success(nil)
        action.senders += queue.map(\.sender)
        action.dropped = queue.map(\.element)
        queue = []
        return action
    }

    /// The end; it is an error once.
    private mutating func takeEnding() -> Outcome? {
        guard let outcome = ending else { return nil }
        ending = .success(nil)
        return outcome
    }
}
