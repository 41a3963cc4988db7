import ViewModels

// How each order is carried out.

extension Session {
    /// Carries out an order that makes no view model.
    func carryOut(_ order: consuming Order) {
        switch consume order {
        case .run(let action, let feed, let head): run(action, on: feed, to: head)
        case .gather(let place, let result, let feed, let head):
            acted(live.gather(actedOn: place, after: result, on: feed, to: head))
        case .change(let change, let feed, let head): run(change, on: feed, to: head)
        case .clear: live.clear()
        // They make view models, or there is nothing to do.
        case .derive, .read, .revive: break
        case .tryAgain: tryAgain()
        case .submit(let commit, let number):
            // View models must not run on the store's thread.
            environment.store.submit(commit) { [self] failure in
                handle(on: .reserved) { $0.commitDone(number, failure) }
            }
        case .load(let known): load(unless: known)
        case .watch(let isWanted): watch(isWanted)
        case .lookUp(let key): lookUp(key)
        case .delete(let version): delete(at: version)
        case .answer(let action, let result):
            environment.counts.note(action.id, result)
            action.promise.resolve(result)
        case .resolve(let asker, let result): asker.promise.resolve(result)
        case .endWaits(let ended): endWaits(ended)
        }
    }

    /// Carries out an order that makes view models.
    ///
    /// - Returns: what tells the core of it.
    func made(_ order: Order, by live: LiveViewModels) -> () -> Void {
        switch order {
        case .run(let action, let feed, let head):
            do {
                _ = try live.viewModel(at: action.id.viewModel, on: feed)
            } catch {
                return { [self] in acted(.unreadable(action.id.viewModel, error)) }
            }
            return { [self] in run(action, on: feed, to: head) }
        case .derive(let part, let feed, let head):
            let derived = live.derive(part, on: feed, to: head)
            return { [self] in handle { $0.derived(derived) } }
        case .read(let record, let known):
            let feed = live.read(record, after: known)
            return { [self] in handle { $0.read(feed) } }
        case .revive(let feed): live.revive(from: feed)
        case .gather, .change, .clear, .tryAgain, .submit, .load, .watch, .lookUp,
            .delete, .answer, .resolve, .endWaits:
            break
        }
        return {}
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
