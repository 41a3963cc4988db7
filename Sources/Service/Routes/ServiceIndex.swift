import ViewModels

/// The answer to `GET /`: what is here, and how to ask for it, for who tries it with curl.
struct ServiceIndex {
    let value: YAML

    /// The answer as JSON text for people to read.
    var json: [UInt8] { Array((value.json + "\n").utf8) }

    init(catalogue: Catalogue) {
        value = [
            "name": "Bindery", "version": .text(Version.current),
            "viewModels": .list(catalogue.viewModels.map(Self.describe)),
            "links": [
                "changes": "/changes", "session": "/session", "sessions": "/sessions", "description": "/openapi.yaml",
                "live": "/livez", "ready": "/readyz",
            ],
        ]
    }

    private static func describe(_ viewModel: Declaration) -> YAML {
        let path = "/\(viewModel.name)"
        return ["name": .text(viewModel.name.rawValue)] + request(path, ["GET", "HEAD"], viewModel.summary) + [
            "facets": .list(
                viewModel.facets.map { request("\(path)/\($0.name)", ["GET", "HEAD"], $0.summary) }),
            "actions": .list(
                viewModel.actions.map { action in
                    request("\(path)/\(action.name)", ["POST"], action.summary)
                        + (action.input.map { ["body": .json($0.example)] } ?? .map([]))
                }),
        ]
    }

    private static func request(_ path: String, _ methods: YAML, _ summary: String) -> YAML {
        ["path": .text(path), "methods": methods, "summary": .text(summary)]
    }
}
