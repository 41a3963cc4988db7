internal import CHTTPShim

extension Exchange {
    /// What became of an answer.
    enum Outcome: Sendable {
        /// It will be sent.
        case taken
        /// There was one before: a mistake of this program.
        case twice
        /// Nobody is there any more.
        case gone
    }

    /// Gives the answer, from any thread.
    ///
    /// Exactly one is taken; the others change nothing.
    @discardableResult
    func answer(_ response: Response) -> Outcome {
        guard (200...599).contains(response.status) else { return answerInternalError() }
        let status = UInt32(response.status)
        if case .shared(let body) = response.body, response.headers.isEmpty, let body = body.raw {
            return Outcome(http_exchange_answer_shared(pointer.raw, status, body, response.closesConnection))
        }
        guard let reply = makeReply(response) else { return answerInternalError() }
        if case .eventStream(let source) = response.body, !http_exchange_is_head(pointer.raw) {
            keep(source(EventStream(exchange: self)))
            return Outcome(http_exchange_answer_stream(pointer.raw, status, reply))
        }
        var closes = response.closesConnection
        if case .eventStream = response.body { closes = true }
        return Outcome(http_exchange_answer(pointer.raw, status, reply, closes))
    }

    /// Answers with a problem, and leaves its cause for the log.
    func answer(_ problem: Problem) { answer(problem.response(instance: id), because: problem.cause) }

    /// Gives the answer, and leaves for the log what led to it.
    func answer(_ response: Response, because cause: String?) {
        withCause(cause) { answer(response) }
    }

    @discardableResult
    private func withCause(_ cause: String?, _ answer: () -> Outcome) -> Outcome {
        guard core.log != nil, let cause else { return answer() }
        let id = id
        core.causes.note(cause, of: id)
        let outcome = answer()
        // The line of another answer, or of none, may have been written already.
        if outcome != .taken { _ = core.causes.take(of: id) }
        return outcome
    }

    /// Where the answer itself was malformed.
    ///
    /// Its own is not: this does not come back.
    private func answerInternalError() -> Outcome {
        let reply = makeReply(Problem.internalError.response(instance: id))
        return withCause("an answer that cannot be sent") {
            Outcome(http_exchange_answer(pointer.raw, 500, reply, true))
        }
    }

    /// Nil where a header field is malformed, or without memory.
    private func makeReply(_ response: Response) -> OpaquePointer? {
        let reply: OpaquePointer? =
            switch response.body {
            case .empty: http_reply_create(nil, 0)
            case .bytes(let bytes): bytes.withUnsafeBytes { http_reply_create($0.baseAddress, $0.count) }
            case .shared(let body): body.raw.flatMap { http_reply_create_shared($0) }
            case .eventStream: http_reply_create_stream(pointer.raw)
            // Begun before an answer is made of it.
            case .later: nil
            }
        guard let reply else { return nil }
        for header in response.headers where !header.add(to: reply) {
            http_reply_destroy(reply)
            return nil
        }
        return reply
    }
}

extension Exchange.Outcome {
    init(_ answer: http_answer) {
        switch answer {
        case HTTP_ANSWER_TAKEN: self = .taken
        case HTTP_ANSWER_TWICE: self = .twice
        default: self = .gone
        }
    }
}

extension Response.Header {
    /// False where it is malformed.
    func add(to reply: OpaquePointer) -> Bool {
        // withCString lends a string's own bytes; passed as they are, both would be copied to the heap first.
        name.text.withCString { name in value.withCString { http_reply_add_field(reply, name, $0) } }
    }
}
