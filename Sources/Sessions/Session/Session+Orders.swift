import ViewModels

// The driver of the core: events go in under the lock, orders are carried out after unlocking.

/// Whose thread carries out a session's orders.
enum CarrierThread {
    /// One for making view models, which may hang.
    case making
    /// An event loop, an action's, or one of Swift's pool: others need it soon, and no view model is made there.
    case shared
    /// The store's, or a timer's: view models are not for it.
    case reserved
}

extension Session {
    /// Tells the core of an event, and carries out what it orders, unless another thread is at it already.
    @discardableResult
    func handle<Result>(
        on carrier: CarrierThread = .shared, _ event: (inout SessionCore) -> sending Result
    ) -> Result {
        let (time, incarnation) = (environment.timeOfDay, environment.store.incarnation)
        let (result, orders) = state.withLock { state in
            state.core.time = time
            state.core.incarnation = incarnation
            let result = event(&state.core)
            state.core.keepWatch()
            return (result, state.beginCarrying())
        }
        if let orders { carryAll(orders, on: carrier) }
        return result
    }

    /// How many orders one thread carries out before it leaves the rest to another: some hundred microseconds of them.
    private static let ordersInARow = 256

    /// Carries out one order after the other, and what they lead to, until there is none.
    func carryAll(_ first: consuming [Order], on carrier: CarrierThread) {
        var orders = consume first
        var count = 0
        repeat {
            orders.reverse()
            // Taken out, so that nothing is kept of one that was carried out: what it holds is changed in place.
            while let order = orders.popLast() {
                if order.makesViewModels(beside: live) {
                    guard makeElsewhere(order, then: orders.reversed(), on: carrier) else { return }
                    continue
                }
                // Bounded, so that an event loop returns to its own connections.
                guard count < Self.ordersInARow, carrier != .reserved || !order.runsViewModels else {
                    let rest = [order] + orders.reversed()
                    Task { [self] in carryAll(rest, on: .shared) }
                    return
                }
                count += 1
                carryOut(order)
            }
            state.withLock { $0.goOnCarrying(&orders) }
        } while !orders.isEmpty
    }

    /// Carries out an order that makes no view model.
    private func carryOut(_ order: consuming Order) {
        switch consume order {
        case .run(let action, let feed, let head): run(action, on: feed, to: head)
        case .gather(let place, let result, let feed, let head):
            acted(live.gather(actedOn: place, after: result, on: feed, to: head))
        case .change(let change, let feed, let head): run(change, on: feed, to: head)
        case .clear: live.clear()
        // Passed over, one of these would keep the turn for ever.
        case .derive, .changeLanguage, .read:
            preconditionFailure("They always make view models (Order.makesViewModels).")
        // None is lacking.
        case .revive: break
        case .tryAgain: tryAgain()
        case .submit(let commit, let number):
            // View models must not run on the store's thread.
            environment.store.submit(commit) { [self] failure in
                handle(on: .reserved) { $0.commitDone(number, failure) }
            }
        case .load(let known): load(unless: known)
        case .watch(let isWanted): watch(isWanted)
        case .lease(let ask): lease(ask)
        case .pause(let repeats): pause(repeats)
        case .lookUp(let key): lookUp(key)
        case .delete(let version): delete(at: version)
        case .answer(let action, let result):
            environment.counts.note(action.id, result)
            action.promise.resolve(result)
        case .resolve(let asker, let result): asker.promise.resolve(result)
        case .endWaits(let ended): endWaits(ended)
        }
    }

    private func tryAgain() {
        _ = environment.timer.schedule(at: environment.now + .seconds(1)) { [weak self] in
            self?.handle(on: .reserved) { $0.tryAgain() }
        }
    }

    func acted(_ acted: Acted) { handle { $0.acted(acted) } }

    private func load(unless known: CommitVersion?) {
        Task { [self] in
            let result: Result<LoadedSession, StoreFailure>
            do throws(StoreFailure) {
                if let known {
                    result = .success(try await environment.store.load(id, unless: known))
                } else {
                    result = .success(try await environment.store.load(id).map { .moved($0) } ?? .gone)
                }
            } catch {
                result = .failure(error)
            }
            handle { $0.loaded(result) }
        }
    }

    private func watch(_ isWanted: Bool) {
        guard isWanted else {
            // Released after unlocking.
            _ = state.withLock { $0.watch.take() }
            return
        }
        let watch = environment.store.watch(id) { [weak self] version in
            // View models must not run on the store's thread.
            self?.handle(on: .reserved) { $0.moved(to: version) }
        }
        state.withLock { $0.watch = watch }
    }

    private func lease(_ ask: Int?) {
        guard let ask else {
            // Released after unlocking.
            _ = state.withLock { $0.lease.take() }
            return
        }
        let lease = environment.store.lease(id) { [weak self] isHeld in
            // View models must not run on the store's thread.
            self?.handle(on: .reserved) { $0.leased(isHeld, by: ask) }
        }
        state.withLock { $0.lease = lease }
    }

    /// Lets 8 milliseconds pass, or less, and twice as many each time, up to a quarter of a second.
    private func pause(_ repeats: Int) {
        let longest = 4 << min(repeats - 1, 6)
        let end = environment.now + .microseconds(Int.random(in: 1...longest * 1000))
        Task { [self] in
            // Nobody cancels this task.
            try? await environment.timeline.sleep(until: end)
            handle { $0.rested() }
        }
    }

    private func lookUp(_ key: KeyDigest) {
        Task { [self] in
            do throws(StoreFailure) {
                let outcome = try await environment.store.outcome(of: key, in: id)
                handle { $0.lookedUp(.success(outcome)) }
            } catch {
                handle { $0.lookedUp(.failure(error)) }
            }
        }
    }

    private func delete(at version: CommitVersion) {
        Task { [self] in
            do throws(StoreFailure) {
                try await environment.store.delete(id, at: version)
                handle { $0.deleted(nil) }
            } catch {
                handle { $0.deleted(error) }
            }
        }
    }

    /// Gives waits that were taken out their outcome.
    ///
    /// Here and now, also where it is a crowd: that takes a microsecond each, and on another thread would take a core from
    /// the loops that send the answers.
    func endWaits(_ ended: [Waits.Ended]) {
        guard !ended.isEmpty else { return }
        use()
        for crowd in ended {
            for wait in crowd.waits { wait.answer(crowd.outcome) }
            environment.timer.cancel(crowd.waits.compactMap { $0.deadline })
        }
    }
}
