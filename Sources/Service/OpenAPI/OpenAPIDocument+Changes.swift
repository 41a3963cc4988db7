import ViewModels

extension OpenAPIDocument {
    /// The path of the change feed.
    static func changesPath(of catalogue: Catalogue) -> YAML.Member {
        path(
            "/changes",
            [
                "get": operation(
                    "changes", tag: "changes",
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
                                        "schema": reference("schemas", "Changes"),
                                        "examples": [
                                            "delta": ["value": .json(Array(deltaExample.utf8))],
                                            "idle": ["value": .json(Array(idleExample.utf8))],
                                        ],
                                    ],
                                    "text/event-stream": ["schema": reference("schemas", "Event")],
                                ],
                            ])
                    ],
                    problems: [400, 401, 429, 503])
            ])
    }

    private static let deltaExample =
        #"{"kind":"delta","cursor":"k3Qm7w.43","changes":[{"seq":43,"viewModel":"counter","output":"text","value":"1"}]}"#
    private static let idleExample = #"{"kind":"idle","cursor":"k3Qm7w.43","changes":[]}"#
    private static var eventSchema: YAML {
        [
            "type": "object", "description": .text(streamDescription),
            "properties": [
                "event": ["enum": ["snapshot", "delta", "ping", "session-ended"]],
                "id": reference("schemas", "Cursor"),
                "data": ["type": "string", "description": "JSON; of a snapshot or a delta, as Changes."],
            ],
            "examples": [
                .json(Array(#"{"event":"ping","id":"k3Qm7w.43","data":"{}"}"#.utf8))
            ],
        ]
    }

    private static let streamDescription =
        "Server-Sent Events. `retry: 2000` comes first; then events named snapshot and delta, whose data is the JSON of "
        + "a poll and whose id is its cursor; ping, about every 15 seconds, whose id moves the cursor too; and "
        + "session-ended, the last. The server ends a stream after 5 to 10 minutes; come back with Last-Event-ID."

    static func changeSchemas(of catalogue: Catalogue) -> [YAML.Member] {
        let outputs = Set(catalogue.viewModels.flatMap { $0.outputs.map(\.name.rawValue) }).sorted()
        return [
            YAML.Member(
                key: "Changes",
                value: [
                    "type": "object", "required": ["kind", "cursor", "changes"],
                    "properties": [
                        "kind": ["enum": ["delta", "snapshot", "idle"]],
                        "reason": [
                            "enum": ["initial", "epoch", "future"],
                            "description":
                                "Why it is a snapshot: no cursor, a cursor of another epoch, or one not yet reached.",
                        ],
                        "cursor": reference("schemas", "Cursor"),
                        "changes": [
                            "type": "array",
                            "description": "In the order of seq; one seq is never split over two answers.",
                            "items": reference("schemas", "Change"),
                        ],
                        "superseded": ["const": true, "description": "A newer poll took this one's place."],
                        "retryAfter": [
                            "type": "integer", "minimum": 0, "maximum": 5,
                            "description": "The server is about to stop; come back after so many seconds.",
                        ],
                    ],
                ]),
            YAML.Member(key: "Event", value: eventSchema),
            YAML.Member(
                key: "Change",
                value: [
                    "type": "object", "required": ["seq", "viewModel", "output"],
                    "properties": [
                        "seq": ["type": "integer", "minimum": 0],
                        "viewModel": ["enum": .list(catalogue.viewModels.map { .text($0.name.rawValue) })],
                        "output": ["enum": .list(outputs.map(YAML.text))],
                        "value": ["description": "The output's latest value; absent with values=none."],
                    ],
                ]),
            YAML.Member(
                key: "Cursor",
                value: [
                    "type": "string", "pattern": .text(cursorPattern), "examples": ["k3Qm7w.43"],
                    "description": "A place in the feed, EPOCH.SEQ.",
                ]),
        ]
    }

    static let cursorPattern = #"^[A-Za-z0-9_-]{1,16}\.(0|[1-9][0-9]{0,18})$"#
}
