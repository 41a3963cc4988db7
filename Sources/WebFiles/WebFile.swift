/// A file for browsers that the server has in it.
package struct WebFile: Sendable {
    /// Its path on the server.
    package let path: String
    /// What it is, as a `Content-Type` says it.
    package let mediaType: String
    /// What one finds in it, in a sentence.
    package let summary: String
    /// Its text, in UTF-8.
    package let bytes: [UInt8]

    /// The modules of scripts, and their types.
    package static let modules = [
        WebFile(
            path: "/bindery.js", mediaType: script, summary: "The client for pages, an ECMAScript module.",
            bytes: PackageResources.bindery_js),
        WebFile(
            path: "/bindery-tabs.js", mediaType: script, summary: "What the client shares one line among tabs by.",
            bytes: PackageResources.bindery_tabs_js),
        WebFile(
            path: "/bindery-attributes.js", mediaType: script,
            summary: "The client for pages without script of their own, by attributes.",
            bytes: PackageResources.bindery_attributes_js),
        WebFile(
            path: "/bindery.d.ts", mediaType: "text/plain; charset=utf-8",
            summary: "The types of the client for pages, in TypeScript.", bytes: PackageResources.bindery_d_ts),
    ]

    private static let script = "text/javascript; charset=utf-8"
}
