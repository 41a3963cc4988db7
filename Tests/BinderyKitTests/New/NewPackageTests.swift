import BinderyKit
import Foundation
import TestSupport
import Testing

@testable import bindery

/// Protects that a new package builds, and names what its host chose.
@Suite("bindery new")
struct NewPackageTests {
    private static let root = URL(filePath: #filePath).appending(path: "../../../..").standardized
    private let url = "https://example.org/tools/bindery.git"

    private func files(_ name: String = "Dashboard", _ library: String? = nil) throws -> [NewFile] {
        try NewPackage(name, library: Library(library ?? url)).files
    }

    private func text(of path: String, _ library: String? = nil) throws -> String {
        try #require(try files("Dashboard", library).first { $0.path == path }).text
    }

    @Test(
        "refuses a name that is none, or that the package's code or Bindery already uses",
        arguments: [
            ("", "capital letter"), ("board", "capital letter"), ("../Board", "capital letter"),
            ("Büro", "capital letter"),
            ("Http", "has a target"), ("BinderyKit", "has a target"), ("Foundation", "already uses"),
            ("ShoppingList", "already uses"), ("Refusal", "already uses"),
        ])
    func badNames(name: String, reason: String) {
        let error = #expect(throws: UsageError.self) { try files(name) }
        #expect(error?.message.contains(reason) == true)
    }

    @Test("knows the names of all targets in Sources")
    func targets() throws {
        let sources = try FileManager.default.contentsOfDirectory(atPath: Self.root.appending(path: "Sources").path)
        #expect(Set(sources).subtracting(["bindery", "CGnuTLS"]).union(["Bindery"]) == Set(NewPackage.targets))
    }

    @Test("writes all files of the template, with the package's name in the place of Board")
    func names() throws {
        let template = Self.root.appending(path: "Sources/bindery/Template")
        let paths = try FileManager.default.subpathsOfDirectory(atPath: template.path).filter {
            (try? Data(contentsOf: template.appending(path: $0))) != nil
        }
        let files = try files()
        #expect(files.count == paths.count)
        #expect(files.contains { $0.path == "Sources/Dashboard/Dashboard.swift" })
        for file in files {
            #expect(!(file.path + file.text).contains(/[^hH][bB]oard|Dashdash/), "\(file.path)")
            #expect(file.isScript == file.path.hasPrefix("script/"))
        }
    }

    @Test("builds the package in the image in which bindery is built")
    func image() throws {
        let dockerfile = try String(contentsOf: Self.root.appending(path: "Dockerfile"), encoding: .utf8)
        let version = try #require(dockerfile.firstMatch(of: /SWIFT_VERSION=([\d.]+)/)).1
        let packages = try #require(dockerfile.firstMatch(of: /recommends (.*-dev .*) \\/)).1
        for path in ["Dockerfile", ".github/workflows/ci.yaml"] {
            #expect(try text(of: path).contains("swift:\(version)-bookworm"))
            #expect(try text(of: path).contains(packages))
        }
        #expect(try text(of: "README.md").contains(packages))
    }

    @Test(
        "takes the library from a repository, at this version or at a branch, and then mentions no copy",
        arguments: [
            ("https://example.org/tools/bindery.git", "from: \"\(Version.current)\"", "bindery"),
            ("git@example.org:tools/view-models#main", "branch: \"main\"", "view-models"),
        ])
    func repository(library: String, requirement: String, package: String) throws {
        let manifest = try text(of: "Package.swift", library)
        let url = library.split(separator: "#")[0]
        #expect(manifest.contains(#".package(url: "\#(url)", \#(requirement))"#))
        #expect(manifest.components(separatedBy: #"package: "\#(package)""#).count == 3)
        #expect(try files("Dashboard", library).allSatisfy { !$0.text.contains(/`bindery\/`|bindery\/\.build/) })
    }

    @Test("refuses a library that is none", arguments: ["", "/", "/no/such/path", "https://example.org/bindery#"])
    func noLibrary(library: String) {
        #expect(throws: (any Error).self) { try Library(library) }
    }

    @Test("writes the package with a copy of the library, once")
    func written() async throws {
        try await withTemporaryDirectory { directory in
            let folder = URL(filePath: directory)
            let package = try NewPackage("Dashboard", library: Library(Self.root.path))
            try package.write(into: folder)
            let copy = folder.appending(path: "Dashboard/bindery")
            #expect(
                try Set(FileManager.default.contentsOfDirectory(atPath: copy.path)) == ["Package.swift", "Sources"])
            #expect(FileManager.default.isExecutableFile(atPath: folder.appending(path: "Dashboard/script/test").path))
            #expect(throws: CommandFailure.self) { try package.write(into: folder) }
            #expect(FileManager.default.fileExists(atPath: copy.path))
        }
    }
}
