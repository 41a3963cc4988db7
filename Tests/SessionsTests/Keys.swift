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
        let request = request(path, body, key: key)
        switch try await perform(ActionID(action, of: place), body: Array(body.utf8), once: request) {
        case .done(let view): return Told(status: 0, body: String(utf8: view.json), isReplay: false)
        case .remembered(let outcome, let isReplay):
            return Told(status: outcome.status, body: String(utf8: outcome.body), isReplay: isReplay)
        }
    }
}

extension Session {
    /// A request of this session, as any that comes with its token.
    func request(_ path: String, _ body: String = "", key: String) -> IdempotentRequest {
        IdempotentRequest(key: key, in: id, token: nil, path: "/" + path, body: Array(body.utf8)) { result in
            let (status, view): (Int, View?) =
                switch result {
                case .done(let view): (200, view)
                case .refused(let refusal, let view): (refusal.kind.status, view)
                case .failed(SessionFailure.timedOut): (504, nil)
                case .failed: (500, nil)
                }
            return IdempotentRequest.Answer(
                status: status, entityTag: view?.entityTag ?? "", contentType: "application/json",
                body: view?.json ?? [])
        }
    }
}

/// What the counter shows.
func counter(_ count: Int) -> String {
    count == 0 ? #"{"text":"0","enabled":false,"alpha":0.5}"# : #"{"text":"\#(count)","enabled":true,"alpha":1}"#
}
