import ViewModels

/// The answer to `GET /`: what is here, and where.
struct ServiceIndex: Encodable {
    struct Links: Encodable {
        let viewModels: [String: String]
        let changes = "/changes"
        let session = "/session"
        let sessions = "/sessions"
        let description = "/openapi.yaml"
        let live = "/livez"
        let ready = "/readyz"
    }

    let name = "Bindery"
    let version = Version.current
    let links: Links

    init(catalogue: Catalogue) {
        let names = catalogue.viewModels.map(\.name.rawValue)
        links = Links(viewModels: Dictionary(uniqueKeysWithValues: names.map { ($0, "/\($0)") }))
    }
}
