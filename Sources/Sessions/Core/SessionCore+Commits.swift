import ViewModels

// What is on its way to the store, and what is shown when it is there.

extension SessionCore {
    /// The session as it will be when all that was submitted is stored.
    var latest: ChangeFeed {
        mutating get {
            if steps.isEmpty { return feed }
            if let ahead { return ahead }
            var feed = feed
            for step in steps { step.apply(to: &feed) }
            ahead = feed
            return feed
        }
    }

    /// Where the next step that changes what is shown leads to.
    var nextHead: SessionHead {
        mutating get { latest.head.advanced(in: incarnation) }
    }

    /// Changes what is shown beside all steps: what nobody has touched, and what cannot be read.
    mutating func changeFeeds(_ change: (inout ChangeFeed) -> Void) {
        change(&feed)
        changeAhead(change)
    }

    mutating func changeAhead(_ change: (inout ChangeFeed) -> Void) {
        guard var next = ahead else { return }
        // Let go of first, so that it is changed in place.
        ahead = nil
        change(&next)
        ahead = next
    }

    /// Submits a step, for those who are answered once it is stored.
    mutating func submit(
        _ commit: Commit, views: consuming [(place: Int, view: View)] = [], for follower: consuming Follower
    ) {
        lastStep += 1
        let step = Step(number: lastStep, commit: commit, views: views, followers: [follower])
        // Else it is made when somebody asks for it, which mostly nobody does before the step is stored.
        if steps.isEmpty { ahead = nil } else { changeAhead { step.apply(to: &$0) } }
        steps.append(step)
        orders.append(.submit(commit, number: lastStep))
    }

    /// Answers once all that was submitted is stored, out of which the answer was made.
    mutating func answer(_ ask: Ask, _ answer: Follower.Answer) {
        guard !steps.isEmpty else { return tell(Follower(ask: ask, answer: answer)) }
        steps[steps.count - 1].followers.append(Follower(ask: ask, answer: answer))
    }

    /// Answers once the step is stored that remembers a key.
    mutating func answer(_ ask: Ask, _ answer: Follower.Answer, afterStepAt index: Int) {
        steps[index].followers.append(Follower(ask: ask, answer: answer))
    }

    /// The store has said what became of a step: nil, where it is stored.
    mutating func settled(_ number: UInt64, _ failure: StoreFailure?) {
        // One that others stand on that are stored was taken as stored with them.
        guard let index = steps.indices.first(where: { steps[$0].number == number }) else { return }
        if let failure {
            isBehind = true
            for follower in steps.remove(at: index).followers { self.failed(follower, failure) }
        } else {
            for _ in 0...index {
                let step = steps.removeFirst()
                // After a failure nobody knows what else was stored: what is shown next is what is read then.
                if !isBehind { show(step) }
                for follower in step.followers { tell(follower) }
            }
        }
        if steps.isEmpty {
            ahead = nil
            allSettled()
        }
        goOn()
    }

    mutating func allSettled() {
        if case .settling(let ask) = turn { return settle(for: ask) }
        // Whoever waits is told of what was stored all the same, without anybody else asking. Where the store is away,
        // the next to ask finds out.
        if isBehind, !polls.isEmpty, case .free = turn, line.isEmpty { standInLine(.show([], Asker())) }
    }

    mutating func show(_ step: Step) {
        storedEnd = step.commit.end
        if let outcome = step.commit.outcome {
            keys += 1
            keyBytes += outcome.body.count
        }
        publish { step.apply(to: &$0) }
    }

    mutating func tell(_ follower: consuming Follower) {
        switch (follower.ask.kind, follower.answer) {
        case (.act(let action), .performed(let result)): orders.append(.answer(action, result))
        case (_, .derived):
            isDerived = true
            line.append(follower.ask)
            tellPolls()
        default: answer(follower.ask, .success(()))
        }
    }

    mutating func failed(_ follower: Follower, _ failure: StoreFailure) {
        switch failure {
        case .conflict, .gone:
            // It is made anew from what is stored then, and begins to change itself anew.
            if case .change = follower.ask.kind { return answer(follower.ask, .failure(CancellationError())) }
            again(follower.ask)
        case .notSent, .unknown, .unreadable: answer(follower.ask, .failure(SessionFailure.unavailable))
        }
    }

    /// Changes what is shown, and tells whoever waited for it.
    mutating func publish(_ change: (inout ChangeFeed) -> Void) {
        change(&feed)
        tellPolls()
    }

    /// Tells those who wait for what is shown now.
    mutating func tellPolls() {
        // Mostly nobody waits, and this is called for every action.
        guard !polls.isEmpty else { return }
        let (feed, isDerived) = (feed, isDerived)
        var missing: Set<Int> = []
        let told = polls.removeAll { query in
            if let refusal = feed.refusal(of: query) { return .unreadable(refusal) }
            missing.formUnion(feed.missing(for: query))
            return isDerived ? feed.wholeAnswer(to: query).map { .changed($0) } : nil
        }
        if !told.isEmpty { orders.append(.tellPolls(told)) }
        if !isDerived || !missing.isEmpty { standInLine(.show(missing.sorted(), Asker())) }
    }
}

/// A step on its way to the store: submitted, not yet stored, and not yet shown.
struct Step: Sendable {
    let number: UInt64
    let commit: Commit
    /// The new views, by place in the catalogue.
    let views: [(place: Int, view: View)]
    /// Who is told what once it is stored: whoever asked for it, and whoever was answered out of what it leaves.
    var followers: [Follower] = []

    /// Shows it in a feed.
    func apply(to feed: inout ChangeFeed) {
        for (place, view) in views { feed.show(view, at: place) }
        feed.advance(to: commit.head, knowing: commit.beginnings)
    }
}

/// An ask that is answered once a step is stored, and begun again where it is not.
struct Follower: Sendable {
    enum Answer: Sendable {
        case performed(Result<Performed, any Error>)
        case done
        /// What was stored is derived: it goes on.
        case derived
    }

    let ask: Ask
    let answer: Answer
}
