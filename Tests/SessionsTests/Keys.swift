import Sessions
import TestSupport
import ViewModels

/// What an action with an idempotency key came to, as its caller is told.
struct Told: Equatable {
    let status: Int
    let body: String
    let isReplay: Bool
}

extension Session {
    /// Runs an action by its path, once for a key.
    @discardableResult
    func act(_ path: String, _ body: String = "", key: String) async throws -> Told {
        let (place, action) = try find(path)
        let request = IdempotentRequest(key: key, path: "/" + path, body: Array(body.utf8)) { result, fingerprint in
            let (status, view): (Int, View?) =
                switch result {
                case .done(let view): (200, view)
                case .disabled(_, let view): (409, view)
                case .failed(SessionFailure.timedOut): (504, nil)
                case .failed: (500, nil)
                }
            return RememberedOutcome(
                key: key, fingerprint: fingerprint, status: status, entityTag: view?.entityTag ?? "",
                contentType: "application/json", body: view?.json ?? [])
        }
        switch try await perform(action, of: place, body: Array(body.utf8), once: request) {
        case .done(let view): return Told(status: 0, body: String(utf8: view.json), isReplay: false)
        case .remembered(let outcome, let isReplay):
            return Told(status: outcome.status, body: String(utf8: outcome.body), isReplay: isReplay)
        }
    }
}

/// What the counter shows.
func counter(_ count: Int) -> String {
    count == 0 ? #"{"text":"0","enabled":false,"alpha":0.5}"# : #"{"text":"\#(count)","enabled":true,"alpha":1}"#
}
