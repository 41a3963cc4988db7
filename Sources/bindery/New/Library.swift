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
    /// - Throws: `UsageError` where a URL has what none has, or no branch behind its `#`, and `CommandFailure` where the path does not lead to Bindery.
    init(_ text: String) throws {
        if text.contains("://") || text.contains(/^[^\/]+@[^\/]+:/) {
            guard !text.contains(/["\\\s]/) else { throw UsageError("--bindery takes a path or a URL, not \(text)") }
            let parts = text.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            guard parts.last?.isEmpty == false else {
                throw UsageError("\(text) names no branch behind its #; name one, or leave the # out")
            }
            self = .repository(url: parts[0], branch: parts.count > 1 ? parts[1] : nil)
            return
        }
        let manifest = try? String(contentsOfFile: "\(text)/Package.swift", encoding: .utf8)
        guard manifest?.contains(#"name: "Bindery""#) == true,
            FileManager.default.fileExists(atPath: "\(text)/Sources/BinderyKit")
        else { throw CommandFailure("\(text.isEmpty ? "an empty path" : text) does not lead to the source of Bindery") }
        self = .copy(of: text)
    }

    /// The folder of the copy, as the templates name it.
    static let folder = "bindery"

    /// Names it in a file of the package instead of the copy.
    func put(into file: NewFile) -> NewFile {
        guard case .repository(let url, let branch) = self else { return file }
        var file = file
        // The version is that of the program that writes this.
        let which = branch.map { "branch: \"\($0)\"" } ?? "from: \"\(Version.current)\""
        let last = url.split(separator: "/").last ?? ""
        let package = last.hasSuffix(".git") ? last.dropLast(4) : last
        file.text =
            file.text
            .replacing(
                #".package(name: "Bindery", path: "\#(Self.folder)")"#, with: ".package(url: \"\(url)\", \(which))"
            )
            .replacing(#"package: "Bindery""#, with: "package: \"\(package)\"")
            .replacing(#/\|[^\n]*`bindery/`[^\n]*\n/#, with: "")
            .replacing(#/!?bindery(/.build)?\n/#, with: "")
        return file
    }

    /// Writes the copy, if one is wanted, into the folder of a package.
    ///
    /// It is what SwiftPM reads of a package that another depends on: no tests, though the manifest names them.
    ///
    /// - Throws: what Foundation does.
    func copy(into package: URL) throws {
        guard case .copy(let source) = self else { return }
        let (files, root) = (FileManager.default, URL(filePath: source))
        // All names first: the copy may come to lie in what is copied.
        let sources = try files.subpathsOfDirectory(atPath: root.appending(path: "Sources").path)
        for path in ["Package.swift"] + sources.map({ "Sources/\($0)" }) {
            let (from, to) = (root.appending(path: path), package.appending(path: "\(Self.folder)/\(path)"))
            guard try from.resourceValues(forKeys: [.isRegularFileKey]).isRegularFile == true else { continue }
            try files.createDirectory(at: to.deletingLastPathComponent(), withIntermediateDirectories: true)
            try files.copyItem(at: from, to: to)
        }
    }
}
