/// A file for browsers, built into the server.
package struct WebFile: Sendable {
    /// Its path on the server.
    package let path: String
    /// Its media type, as in a `Content-Type`.
    package let mediaType: String
    /// Its text, in UTF-8.
    package let bytes: [UInt8]

    /// The modules of scripts, and their types.
    package static let modules = [
        script("/bindery.js", PackageResources.bindery_js),
        script("/bindery-attributes.js", PackageResources.bindery_attributes_js), typings,
    ]

    /// The types of the client module.
    package static let typings = WebFile(
        path: "/bindery.d.ts", mediaType: "text/plain; charset=utf-8", bytes: PackageResources.bindery_d_ts)

    /// The page, which `GET /` also sends to browsers.
    package static let page = WebFile(
        path: "/bindery/", mediaType: "text/html; charset=utf-8", bytes: PackageResources.page_html)

    /// The page and the files that it loads beside the client.
    package static let ofPage = [
        page,
        WebFile(path: "/bindery/page.css", mediaType: "text/css; charset=utf-8", bytes: PackageResources.page_css),
        WebFile(path: "/bindery/icon.svg", mediaType: "image/svg+xml", bytes: PackageResources.icon_svg),
        script("/bindery/page.js", PackageResources.page_js), script("/bindery/cards.js", PackageResources.cards_js),
        script("/bindery/dom.js", PackageResources.dom_js), script("/bindery/wire.js", PackageResources.wire_js),
    ]

    /// Whether the file is a page, and not a part of a page.
    package var isPage: Bool { mediaType.hasPrefix("text/html") }

    private static func script(_ path: String, _ bytes: [UInt8]) -> WebFile {
        WebFile(path: path, mediaType: "text/javascript; charset=utf-8", bytes: bytes)
    }
}
