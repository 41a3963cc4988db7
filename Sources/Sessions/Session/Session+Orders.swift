import ViewModels

// The driver of the core: events go in under the lock, orders are carried out after unlocking.

extension Session {
    /// Tells the core of an event, and carries out what it orders, unless another thread is at it already.
    @discardableResult
    func tell<Result>(
        mayStage: Bool = true, _ event: (inout SessionCore) -> sending Result
    ) -> Result {
        let (time, incarnation) = (surroundings.timeOfDay, surroundings.store.incarnation)
        let (result, orders) = state.withLock { state in
            state.core.time = time
            state.core.incarnation = incarnation
            let result = event(&state.core)
            state.core.keepWatch()
            return (result, state.beginCarrying())
        }
        if let orders { carryOut(orders, mayStage: mayStage) }
        return result
    }

    /// How many orders one thread carries out before it leaves the rest to another: some hundred microseconds of them.
    private static let ordersInARow = 256

    /// Carries out one order after the other, and what they lead to, until there is none.
    ///
    /// - Parameter mayStage: whether this thread may work on the live view models, which may take long.
    private func carryOut(_ orders: consuming [Order], mayStage: Bool) {
        var count = 0
        while !orders.isEmpty {
            orders.reverse()
            // Taken out, so that nothing is kept of one that was carried out: what it holds is changed in place.
            while let order = orders.popLast() {
                // A loop that carries out what others ask for without an end would not come back to its own connections.
                guard mayStage || !order.isOnStage, count < Self.ordersInARow else {
                    let rest = [order] + orders.reversed()
                    Task { [self] in carryOut(rest, mayStage: true) }
                    return
                }
                count += 1
                carryOut(order)
            }
            state.withLock { $0.goOnCarrying(&orders) }
        }
    }

    private func carryOut(_ order: consuming Order) {
        switch consume order {
        case .run(let action, let feed, let head): run(action, on: feed, to: head)
        case .gather(let action, let result, let feed, let head):
            acted(action.gathered(after: result, on: stage, feed, to: head))
        case .change(let change, let feed, let head): acted(stage.run(change, on: feed, to: head))
        case .make(let places, let feed):
            let made = stage.make(places, on: feed)
            tell { $0.made(made) }
        case .derive(let feed, let head):
            let derived = stage.derive(surroundings.untouched(in: language), on: feed, to: head)
            tell { $0.derived(derived) }
        case .read(let record, let known):
            let feed = stage.read(record, after: known)
            tell { $0.read(feed) }
        case .clear(let feed):
            stage.clear()
            if let feed { stage.revive(from: feed) }
        case .submit(let commit, let number):
            // Its thread is to be held up by nobody's view models.
            surroundings.store.submit(commit) { [self] failure in
                tell(mayStage: false) { $0.settled(number, failure) }
            }
        case .load(let known): load(unless: known)
        case .watch(let isWanted): watch(isWanted)
        case .lookUp(let key): lookUp(key)
        case .delete(let version): delete(at: version)
        case .answer(let action, let result): action.promise.keep(result)
        case .tell(let asker, let result): asker.promise.keep(result)
        case .tellPolls(let told): tell(told)
        }
    }

    func acted(_ acted: Acted) { tell { $0.acted(acted) } }

    private func load(unless known: CommitVersion?) {
        Task { [self] in
            let result: Result<LoadedSession, StoreFailure>
            do throws(StoreFailure) {
                if let known {
                    result = .success(try await surroundings.store.load(id, unless: known))
                } else {
                    result = .success(try await surroundings.store.load(id).map { .moved($0) } ?? .gone)
                }
            } catch {
                result = .failure(error)
            }
            tell { $0.loaded(result) }
        }
    }

    private func watch(_ isWanted: Bool) {
        guard isWanted else {
            // Released after unlocking.
            _ = state.withLock { $0.watch.take() }
            return
        }
        let watch = surroundings.store.watch(id) { [weak self] version in
            // Its thread is to be held up by nobody's view models.
            self?.tell(mayStage: false) { $0.moved(to: version) }
        }
        state.withLock { $0.watch = watch }
    }

    private func lookUp(_ key: KeyDigest) {
        Task { [self] in
            do throws(StoreFailure) {
                let outcome = try await surroundings.store.outcome(of: key, in: id)
                tell { $0.lookedUp(.success(outcome)) }
            } catch {
                tell { $0.lookedUp(.failure(error)) }
            }
        }
    }

    private func delete(at version: CommitVersion) {
        Task { [self] in
            do throws(StoreFailure) {
                try await surroundings.store.delete(id, at: version)
                tell { $0.deleted(nil) }
            } catch {
                tell { $0.deleted(error) }
            }
        }
    }

    /// Gives waits that were taken out their outcome.
    ///
    /// Here and now, also where it is a crowd: that takes a microsecond each, and on another thread would take a core from
    /// the loops that send the answers.
    func tell(_ told: [WaitingPolls.Told]) {
        guard !told.isEmpty else { return }
        use()
        for crowd in told {
            for poll in crowd.polls { poll.answer(crowd.outcome) }
            surroundings.timer.cancel(crowd.polls.compactMap { $0.deadline })
        }
    }
}

extension ActionCall {
    /// What it changed, or that it failed.
    func gathered(
        after result: Result<Void, any Error>, on stage: Stage, _ feed: ChangeFeed, to head: SessionHead
    ) -> Acted {
        switch result {
        case .success: stage.gather(actedOn: place, on: feed, to: head)
        // It did not begin.
        case .failure(SessionFailure.busy): .notBegun(SessionFailure.busy)
        case .failure(let error): stage.failed(error, on: feed)
        }
    }
}
