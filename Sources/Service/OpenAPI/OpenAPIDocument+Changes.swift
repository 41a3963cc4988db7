import ViewModels

extension OpenAPIDocument {
    /// The path of the change feed.
    static let changesPath = path(
        "/changes",
        [
            "get": operation(
                "getChanges", tag: "changes",
                "What changed since a cursor, at once or as soon as something does; as JSON, or as an event stream.",
                parameters: ["since", "wait", "topics", "values", "LastEventID"],
                answers: [
                    answer(
                        200,
                        [
                            "description":
                                "A delta, an explained snapshot, or nothing yet; keep the cursor and ask again.",
                            "headers": .map(answerHeaders(["Cache-Control"])),
                            "content": [
                                "application/json": [
                                    "schema": reference("schemas", "Changes"), "examples": changesExamples,
                                ],
                                "text/event-stream": [
                                    "schema": reference("schemas", "Event"), "example": .json(pingExample),
                                ],
                            ],
                            "links": [
                                "next": changesLink(
                                    since: "$response.body#/cursor", "What came after: ask again with the cursor.")
                            ],
                        ])
                ],
                problems: [401, 429, 500, 503])
        ])

    /// Where to go on from a cursor.
    ///
    /// - Parameter expression: a runtime expression (OpenAPI 3.1, section 4.8.20.3) that finds the cursor.
    static func changesLink(since expression: String, _ description: String) -> YAML {
        [
            "operationId": "getChanges", "parameters": ["since": .text(expression)],
            "description": .text(description),
        ]
    }

    private static var changesExamples: YAML {
        let examples: [(String, String)] = [
            (
                "delta",
                #"{"kind":"delta","cursor":"k3Qm7w.43","changes":[{"seq":43,"viewModel":"counter","output":"text","value":"1"}]}"#
            ),
            ("idle", #"{"kind":"idle","cursor":"k3Qm7w.43","changes":[]}"#),
            ("superseded", #"{"kind":"idle","cursor":"k3Qm7w.43","changes":[],"superseded":true}"#),
            (
                "snapshot",
                #"{"kind":"snapshot","reason":"initial","cursor":"k3Qm7w.43","changes":[{"seq":43,"viewModel":"counter","output":"text","value":"1"}]}"#
            ),
        ]
        return .map(examples.map { YAML.Member(key: $0, value: ["value": .json(Array($1.utf8))]) })
    }

    private static let pingExample = Array(#"{"event":"ping","id":"k3Qm7w.43","data":"{}"}"#.utf8)

    private static let streamDescription =
        "Server-Sent Events. The first comes at once, and `retry: 2000` stands in its block. Events named snapshot and "
        + "delta have the JSON of a poll as data and its cursor as id; ping, where nothing is new at the beginning and "
        + "about every 15 seconds, has an id that moves the cursor too; session-ended is the last. The server ends a "
        + "stream after 5 to 10 minutes; come back with Last-Event-ID."

    static var changeSchemas: [YAML.Member] {
        [
            YAML.Member(key: "Changes", value: changesSchema),
            YAML.Member(
                key: "Event",
                value: [
                    "type": "object", "description": .text(streamDescription),
                    "properties": [
                        "event": ["type": "string", "enum": ["snapshot", "delta", "ping", "session-ended"]],
                        "id": reference("schemas", "Cursor"),
                        "data": ["type": "string", "description": "JSON; of a snapshot or a delta, as Changes."],
                    ],
                ]),
            YAML.Member(
                key: "Change",
                value: [
                    "type": "object", "required": ["seq", "viewModel", "output"],
                    "properties": [
                        "seq": ["type": "integer", "format": "int64", "minimum": 0, "examples": [43]],
                        "viewModel": ["type": "string", "examples": ["counter"]],
                        "output": ["type": "string", "examples": ["text"]],
                        "value": [
                            "description":
                                "The output's latest value, of the type that its view model says; absent with values=none."
                        ],
                    ],
                ]),
            // Wider than what is given out today: a client hands a cursor back as it is, whatever is in it one day.
            YAML.Member(
                key: "Cursor",
                value: [
                    "type": "string", "pattern": "^[A-Za-z0-9._~-]{1,256}$", "examples": ["k3Qm7w.43"],
                    "description": "A place in the feed, EPOCH.SEQ; more parts may follow one day.",
                ]),
        ]
    }

    private static var changesSchema: YAML {
        [
            "type": "object", "required": ["kind", "cursor", "changes"],
            "properties": [
                "kind": ["type": "string", "enum": ["delta", "snapshot", "idle"]],
                // No enumeration: a client that only hands on the reason need not know them all.
                "reason": [
                    "type": "string", "examples": ["initial"],
                    "description": .text(
                        "Why it is a snapshot: initial, no cursor; epoch, a cursor of another epoch; history, one beyond "
                            + "what that epoch's history reached; future, one not yet reached. More may be added."),
                ],
                "cursor": reference("schemas", "Cursor"),
                "changes": [
                    "type": "array",
                    "description": "In the order of seq; one seq is never split over two answers.",
                    "items": reference("schemas", "Change"),
                ],
                "superseded": [
                    "type": "boolean", "description": "True where a newer poll took this one's place; else absent.",
                ],
                "retryAfter": [
                    "type": "integer", "format": "int32", "minimum": 0, "maximum": 5,
                    "description": "The server is about to stop; come back after so many seconds.",
                ],
            ],
        ]
    }
}
