/// A file for browsers that the server has in it.
package struct WebFile: Sendable {
    /// Its path on the server.
    package let path: String
    /// What it is, as a `Content-Type` says it.
    package let mediaType: String
    /// Its text, in UTF-8.
    package let bytes: [UInt8]

    /// The modules of scripts, and their types.
    package static let modules =
        [
            ("", PackageResources.bindery_js), ("-tabs", PackageResources.bindery_tabs_js),
            ("-attributes", PackageResources.bindery_attributes_js), ("-form", PackageResources.bindery_form_js),
            ("-draft", PackageResources.bindery_draft_js), ("-fields", PackageResources.bindery_fields_js),
            ("-press", PackageResources.bindery_press_js),
        ].map { WebFile(path: "/bindery\($0).js", mediaType: script, bytes: $1) } + [typings]

    /// The types of the client module.
    package static let typings = WebFile(
        path: "/bindery.d.ts", mediaType: "text/plain; charset=utf-8", bytes: PackageResources.bindery_d_ts)

    /// The page, which is also what `GET /` is for browsers.
    package static let page = WebFile(
        path: "/bindery/", mediaType: "text/html; charset=utf-8", bytes: PackageResources.page_html)

    /// The page and what it loads beside the client.
    package static let ofPage =
        [
            page,
            WebFile(path: "/bindery/page.css", mediaType: "text/css; charset=utf-8", bytes: PackageResources.page_css),
            WebFile(path: "/bindery/icon.svg", mediaType: "image/svg+xml", bytes: PackageResources.icon_svg),
        ]
        + [
            ("page", PackageResources.page_js), ("dom", PackageResources.dom_js), ("panel", PackageResources.panel_js),
            ("screens", PackageResources.screens_js), ("wire", PackageResources.wire_js),
        ].map { WebFile(path: "/bindery/\($0).js", mediaType: script, bytes: $1) }

    /// Whether it is a page, not a part of one.
    package var isPage: Bool { mediaType.hasPrefix("text/html") }

    private static let script = "text/javascript; charset=utf-8"
}
