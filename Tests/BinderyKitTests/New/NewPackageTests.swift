import BinderyKit
import Foundation
import TestSupport
import Testing

@testable import bindery

/// Protects that a new package builds, and names what its host chose.
@Suite("bindery new")
struct NewPackageTests {
    private static let root = URL(filePath: #filePath).appending(path: "../../../..").standardized

    private func files(_ name: String = "Dashboard") throws -> [(path: String, text: String)] {
        try NewPackage(name, library: Self.root.path).files
    }

    private func text(of path: String) throws -> String {
        try #require(try files().first { $0.path == path }).text
    }

    @Test("refuses a name that is none", arguments: ["", "board", "../Board", "Büro"])
    func badNames(name: String) {
        let error = #expect(throws: UsageError.self) { try files(name) }
        #expect(error?.message.contains("capital letter") == true)
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
        }
    }

    @Test("builds the package in the image in which bindery is built")
    func image() throws {
        let dockerfile = try String(contentsOf: Self.root.appending(path: "Dockerfile"), encoding: .utf8)
        let version = try #require(dockerfile.firstMatch(of: /SWIFT_VERSION=([\d.]+)/)).1
        let packages = try #require(dockerfile.firstMatch(of: /recommends (.*-dev .*) \\/)).1
        #expect(try text(of: "Dockerfile").contains("swift:\(version)-bookworm"))
        for path in ["Dockerfile", "README.md"] { #expect(try text(of: path).contains(packages)) }
    }

    @Test("refuses a library that is none", arguments: ["/", "/no/such/path"])
    func noLibrary(library: String) {
        #expect(throws: CommandFailure.self) { try NewPackage("Dashboard", library: library) }
    }

    @Test("writes the package with a copy of the library, once")
    func written() async throws {
        try await withTemporaryDirectory { directory in
            let folder = URL(filePath: directory)
            let package = try NewPackage("Dashboard", library: Self.root.path)
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
