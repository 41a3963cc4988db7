import Events
import Foundation
import Locking
import PostgresStore
import SQLiteStore
import Sessions
import StoreParts

extension Command {
    /// Takes all sessions into another, empty store, while neither is served.
    static let copy = Command(
        name: "copy",
        uses: [("--from STORE --to STORE", "take all sessions into another, empty store, while neither is served")],
        options: [end("from", \.own.from, "the store to copy"), end("to", \.own.to, "the store to copy to")]
    ) { options in
        guard let source = options.own.from, let target = options.own.to else {
            throw UsageError(
                "copy needs two stores: \(options.program.name) copy --from STORE --to STORE [--store-schema NAME], each "
                    + "sqlite:PATH or postgres://HOST/DATABASE")
        }
        guard source.shown != target.shown else { throw UsageError("--from and --to are the same store") }
        let (ofSource, ofTarget) = (StoreReasons(), StoreReasons())
        let old = try open(source, for: .source, options, log: ofSource)
        do {
            let new = try open(target, for: .target, options, log: ofTarget)
            do {
                let (sessions, outcomes) = try await copy(old, source.shown, to: new)
                try Console.print(
                    "\(source.shown) copied to \(target.shown): \(sessions) sessions, \(outcomes) remembered answers")
            } catch {
                await new.close()
                throw error
            }
            await new.close()
        } catch CopyFailure.notEmpty {
            await old.close()
            throw CommandFailure(
                "\(target.shown) has sessions: name an empty store, or another --store-schema, which holds for both stores"
            )
        } catch CopyFailure.notAlone {
            await old.close()
            throw CommandFailure(
                "the connection by which a store was kept for this copy was lost, so others may have changed it meanwhile: "
                    + "copy again, which begins anew")
        } catch CopyFailure.source(let failure) {
            // It has told all its reasons once it is closed.
            await old.close()
            throw broken("\(source.shown), which was copied, failed: \(ofSource.words(of: failure))")
        } catch CopyFailure.target(let failure) {
            await old.close()
            throw broken("\(target.shown), to which was copied, failed: \(ofTarget.words(of: failure))")
        } catch {
            await old.close()
            throw error
        }
        await old.close()
    }

    private static func broken(_ why: String) -> CommandFailure {
        CommandFailure(
            "\(why); what was copied so far is a part alone, which nobody serves: copy again, which begins anew")
    }

    /// Says on a terminal how far it is: some ten thousand sessions take seconds.
    private static func copy(
        _ old: any CopiedStore, _ name: String, to new: any CopiedStore
    ) async throws -> (sessions: Int, outcomes: Int) {
        guard isatty(FileHandle.standardError.fileDescriptor) == 1 else { return try await old.copy(to: new, as: name) }
        let all: Int
        do throws(StoreFailure) { all = try await old.count() } catch { throw CopyFailure.source(error) }
        defer { Console.progress("") }
        return try await old.copy(to: new, as: name) { Console.progress("\($0) of \(all) sessions") }
    }

    /// One of the two stores.
    private static func end(
        _ name: String, _ path: WritableKeyPath<ProgramOptions, StoreChoice?> & Sendable, _ help: String
    ) -> ProgramOption {
        ProgramOption(name, "STORE", path, help, code: "–") {
            $0?.shown ?? ""
        } read: { text in
            let choice = try StoreChoice(text)
            guard choice != .memory else { throw UsageError("takes a store that lasts, not memory") }
            return choice
        }
    }

    private static func open(
        _ choice: StoreChoice, for purpose: StorePurpose, _ options: ProgramOptions, log: any EventLog
    ) throws -> any CopiedStore {
        switch choice {
        case .memory: MemoryStore()
        case .sqlite(let path): try SQLiteStore(path: path, purpose: purpose, log: log)
        case .postgres(let uri): try PostgresStore(uri: uri, schema: options.schema, purpose: purpose, log: log)
        }
    }
}

/// Why a store failed, as `store-lost` has it.
private final class StoreReasons: EventLog {
    private let kept = Lock<[String]>([])

    func record(_ event: Event) {
        guard event.kind == .storeLost, case .text(let reason) = event["reason"] else { return }
        kept.withLock { if !$0.contains(reason) { $0.append(reason) } }
    }

    /// The first of them, of which each connection may have its own; or what the failure itself says.
    func words(of failure: StoreFailure) -> String {
        if case .unreadable(let what) = failure { return what }
        let reasons = kept.withLock { $0.prefix(3) }
        guard reasons.isEmpty else { return reasons.joined(separator: "; ") }
        return switch failure {
        case .conflict, .gone: "somebody else has changed it"
        case .notSent, .unknown, .unreadable: "it does not answer"
        }
    }
}
