import BinderyKit
import Foundation

/// Where a package has Bindery from.
enum Library: Equatable {
    /// A copy within the package, so that its image is built from its own folder.
    case copy(of: String)
    /// A repository that SwiftPM clones.
    case repository(url: String, branch: String?)

    /// Reads a path or a URL, which may have a branch behind it: `https://example.org/bindery.git#main`.
    ///
    /// - Throws: `UsageError` for a malformed URL, `CommandFailure` where the path does not lead to Bindery.
    init(_ text: String) throws {
        if let match = text.wholeMatch(of: /((?:\w+:\/\/|[^\/]+@[^\/]+:)[^"\\\s#]+)(?:#([^"\\\s#]+))?/) {
            self = .repository(url: String(match.1), branch: match.2.map(String.init))
            return
        }
        let manifest = try? String(contentsOfFile: "\(text)/Package.swift", encoding: .utf8)
        guard !text.contains("://"), !text.isEmpty, manifest?.contains(#"name: "Bindery""#) == true else {
            throw text.contains("://")
                ? UsageError("--bindery takes a path or a URL, not \(text)")
                : CommandFailure("\(text) does not lead to the source of Bindery")
        }
        self = .copy(of: text)
    }

    /// The file with the repository in the place of the copy, which the templates have.
    func named(in file: NewFile) -> NewFile {
        guard case .repository(let url, let branch) = self else { return file }
        let requirement = branch.map { "branch: \"\($0)\"" } ?? "from: \"\(Version.current)\""
        let last = url.split(whereSeparator: { "/:".contains($0) }).last ?? ""
        let package = last.hasSuffix(".git") ? last.dropLast(4) : last
        var file = file
        file.text = file.text
            .replacing(
                #".package(name: "Bindery", path: "bindery")"#, with: ".package(url: \"\(url)\", \(requirement))"
            )
            .replacing(#"package: "Bindery""#, with: "package: \"\(package)\"")
            .replacing(#/\|[^\n]*`bindery/`[^\n]*\n/#, with: "")
            .replacing(#/!?bindery(/.build)?\n/#, with: "")
        return file
    }

    /// Writes the copy, if there is one, into the folder of a package: the manifest and the sources, without tests.
    func copy(into package: URL) throws {
        guard case .copy(let source) = self else { return }
        let (from, to) = (URL(filePath: source), package.appending(path: "bindery"))
        try FileManager.default.createDirectory(at: to, withIntermediateDirectories: false)
        for name in ["Package.swift", "Sources"] {
            try FileManager.default.copyItem(at: from.appending(path: name), to: to.appending(path: name))
        }
    }
}
