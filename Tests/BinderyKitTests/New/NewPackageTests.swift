import Foundation
import TestSupport
import Testing

@testable import BinderyKit
@testable import bindery

@Suite("A new package")
struct NewPackageTests {
    private let url = "https://example.org/tools/bindery.git"

    private func package(_ name: String = "Dashboard", _ library: String? = nil) throws -> NewPackage {
        NewPackage(name: try NewName(ofPackage: name), library: try Library(library ?? url))
    }

    @Test("consists of all that lies in the folder of its templates")
    func templates() throws {
        let folder = repository.appending(path: "Sources/bindery/New/Board")
        let hidden = [
            "gitignore": ".gitignore", "dockerignore": ".dockerignore", "ci.yaml": ".github/workflows/ci.yaml",
        ]
        for path in try FileManager.default.subpathsOfDirectory(atPath: folder.path) {
            guard let text = try? String(contentsOf: folder.appending(path: path), encoding: .utf8) else { continue }
            #expect(Template.all.first { $0.path == hidden[path] ?? path }?.text == text, "\(path)")
        }
    }

    @Test("is built in the image in which bindery is")
    func image() throws {
        let dockerfile = try String(contentsOf: repository.appending(path: "Dockerfile"), encoding: .utf8)
        let version = try #require(dockerfile.firstMatch(of: /SWIFT_VERSION=([\d.]+)/)).1
        for template in Template.all {
            for match in template.text.matches(of: /swift:([\d.]+)-/) {
                #expect(match.1 == version, "\(template.path)")
            }
        }
        let packages = try #require(dockerfile.firstMatch(of: /recommends (.*-dev .*) \\/)).1
        let naming = Template.all.filter { $0.text.contains(packages) }
        #expect(naming.map(\.path) == ["Dockerfile", ".github/workflows/ci.yaml", "README.md"])
    }

    @Test("has its name in the place of the templates', and only there")
    func names() throws {
        let files = try package().files
        #expect(files.contains { $0.path == "Sources/Dashboard/DashboardViewModel.swift" })
        for file in files {
            #expect(!(file.path + file.text).contains(/[^hH][bB]oard/), "\(file.path)")
            #expect(!file.text.contains("Dashdash"), "\(file.path)")
            #expect(file.isScript == file.path.hasPrefix("script/"))
        }
    }

    @Test(
        "has its library from a repository, of the version of who wrote it, or from a branch, and says nothing of a copy"
    )
    func repositories() throws {
        let files = try package().files
        let manifest = try #require(files.first { $0.path == "Package.swift" }).text
        #expect(manifest.contains(#".package(url: "\#(url)", from: "\#(Version.current)")"#))
        #expect(manifest.components(separatedBy: #"package: "bindery""#).count == 3)
        #expect(!files.contains { $0.text.contains("`bindery/`") || $0.text.contains("bindery/.build") })
        let branch = try package("Dashboard", "git@example.org:tools/view-models#main").files
        let text = try #require(branch.first { $0.path == "Package.swift" }).text
        #expect(text.contains(#".package(url: "git@example.org:tools/view-models", branch: "main")"#))
        #expect(text.contains(#"package: "view-models""#))
    }

    @Test("is refused a URL with a mark for a branch and none behind it")
    func noBranch() {
        for text in ["\(url)#", "git@example.org:tools/bindery#"] {
            #expect(throws: UsageError.self, "\(text)") { try Library(text) }
        }
    }

    @Test("is refused a path that does not lead to Bindery", arguments: ["", "/", "/no/such/path", "bindery"])
    func noLibrary(path: String) {
        #expect(throws: CommandFailure.self) { try Library(path) }
    }

    @Test("is written into its folder, with a copy of the library and nothing beside it")
    func written() async throws {
        try await withTemporaryDirectory { directory in
            let here = URL(filePath: directory)
            try FileManager.default.createDirectory(
                at: here.appending(path: "Dashboard"), withIntermediateDirectories: false)
            try package("Dashboard", repository.path).write(into: here)
            #expect(try FileManager.default.contentsOfDirectory(atPath: directory) == ["Dashboard"])
            let names = try FileManager.default.contentsOfDirectory(atPath: directory + "/Dashboard/bindery")
            #expect(Set(names) == ["Package.swift", "Sources"])
            #expect(FileManager.default.isExecutableFile(atPath: directory + "/Dashboard/script/test"))
        }
    }

    @Test("is not written over anything, and leaves nothing where it is not")
    func refused() async throws {
        try await withTemporaryDirectory { directory in
            let here = URL(filePath: directory)
            let folder = here.appending(path: "Dashboard")
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
            try Data("mine".utf8).write(to: folder.appending(path: ".hidden"))
            try Data("mine".utf8).write(to: here.appending(path: "Shop"))
            for name in ["Dashboard", "Shop"] {
                let error = #expect(throws: CommandFailure.self) { try package(name).write(into: here) }
                #expect(error?.description == "\(name) is here already, and not an empty folder")
            }
            #expect(
                try Set(FileManager.default.subpathsOfDirectory(atPath: directory)) == [
                    "Dashboard", "Dashboard/.hidden", "Shop",
                ])
        }
    }
}
