/// A file for browsers, built into the server.
package struct WebFile: Sendable {
    /// Its path on the server.
    package let path: String
    /// Its text, in UTF-8.
    package let bytes: [UInt8]

    /// The modules of scripts, and their types.
    package static let modules = [
        WebFile(path: "/bindery.js", bytes: PackageResources.bindery_js),
        WebFile(path: "/bindery-attributes.js", bytes: PackageResources.bindery_attributes_js), typings,
    ]

    /// The types of the client module.
    package static let typings = WebFile(path: "/bindery.d.ts", bytes: PackageResources.bindery_d_ts)

    /// The page, which `GET /` also sends to browsers.
    package static let page = WebFile(path: "/bindery/", bytes: PackageResources.page_html)

    /// The page and the files that it loads beside the client.
    package static let ofPage = [
        page,
        WebFile(path: "/bindery/page.css", bytes: PackageResources.page_css),
        WebFile(path: "/bindery/icon.svg", bytes: PackageResources.icon_svg),
        WebFile(path: "/bindery/page.js", bytes: PackageResources.page_js),
        WebFile(path: "/bindery/cards.js", bytes: PackageResources.cards_js),
        WebFile(path: "/bindery/dom.js", bytes: PackageResources.dom_js),
        WebFile(path: "/bindery/wire.js", bytes: PackageResources.wire_js),
    ]

    /// Whether the file is a page, and not a part of a page.
    package var isPage: Bool { path.hasSuffix("/") }
}
